from .learning_prediction import LearningPrediction as LearningPrediction
from .learning_prediction import SensitivePrediction as SensitivePrediction
from .sensitive_counts import SensitiveCounts as SensitiveCounts
from .sensitive_counts import sensitive_counts as sensitive_counts
from .sensitive_risk import LEARNING_MEASURES as LEARNING_MEASURES
from .sensitive_risk import LearningRisk as LearningRisk
from .sensitive_risk import SensitiveRisk as SensitiveRisk
from .sensitive_risk import ValueLearnt as ValueLearnt
from .table_learning import learn as learn

__all__: list[str]
