"""All planted faults: those that had survived, and others over all rooms."""
from faults_generator import GENERATOR
from faults_models import MODELS
from faults_outside import OUTSIDE
from faults_runtime import RUNTIME
from faults_templates import TEMPLATES

FAULTS = [*TEMPLATES, *GENERATOR, *MODELS, *RUNTIME, *OUTSIDE]
