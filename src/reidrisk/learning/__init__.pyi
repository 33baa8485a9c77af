from .learning_prediction import LearningPrediction as LearningPrediction
from .learning_prediction import SensitivePrediction as SensitivePrediction
from .limits import LIMIT_OPTIONS as LIMIT_OPTIONS
from .limits import JudgedCrowds as JudgedCrowds
from .limits import LearningLimits as LearningLimits
from .limits import SensitiveColumn as SensitiveColumn
from .limits import beyond as beyond
from .limits import learning_limit as learning_limit
from .limits import learning_limits as learning_limits
from .limits import searched_learning_measure as searched_learning_measure
from .limits import sensitive_columns as sensitive_columns
from .sensitive_counts import SensitiveCounts as SensitiveCounts
from .sensitive_counts import sensitive_counts as sensitive_counts
from .sensitive_risk import LEARNING_MEASURES as LEARNING_MEASURES
from .sensitive_risk import LearningRisk as LearningRisk
from .sensitive_risk import SensitiveRisk as SensitiveRisk
from .sensitive_risk import ValueLearnt as ValueLearnt
from .sensitive_risk import learning_measure as learning_measure
from .table_learning import learn as learn

__all__: list[str]
