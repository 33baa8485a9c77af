"""How far the figures can be trusted: predicted against counted, one command a question."""
