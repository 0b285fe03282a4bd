from fuzz.assertion import assert_correct as assert_correct
from fuzz.draw.generator import GeneratedTrace as GeneratedTrace
from fuzz.draw.generator import generate as generate
from fuzz.draw.shape import Shape as Shape
from fuzz.strategy import traces as traces
