"""Floats: a Mandelbrot set, Newton's method, statistics."""

from math import cos, floor, sqrt


def mandelbrot(size: int) -> int:
    inside = 0
    for row in range(size):
        for column in range(size):
            a, b = column / size * 3 - 2, row / size * 2 - 1
            x = y = 0.0
            for _ in range(50):
                x, y = x * x - y * y + a, 2 * x * y + b
                if x * x + y * y > 4.0:
                    break
            else:
                inside += 1
    return inside


def newton(count: int) -> float:
    total = 0.0
    for i in range(1, count):
        guess = float(i)
        while abs(guess * guess - i) > 1e-9 * i:
            guess = (guess + i / guess) / 2
        total += guess
    return total


def deviation(values: list[float]) -> float:
    mean = sum(values) / len(values)
    return sqrt(sum((value - mean) ** 2 for value in values) / len(values))


def wave(count: int) -> int:
    total = 0
    for i in range(count):
        total += floor(100 * cos(i * 0.1)) + (1 if i * 0.5 < -1.0 else 0)
    return total


print(mandelbrot(24), round(newton(500), 3), round(deviation([i * 0.25 for i in range(4000)]), 3), wave(4000))
