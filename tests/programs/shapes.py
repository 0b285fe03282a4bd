"""Objects with methods, subclasses, properties and slots."""


class Shape:
    def __init__(self, name: str) -> None:
        self.name = name

    def area(self) -> int:
        return 0

    def describe(self) -> int:
        return self.area() + len(self.name)


class Square(Shape):
    def __init__(self, side: int) -> None:
        super().__init__("square")
        self.side = side

    def area(self) -> int:
        return self.side * self.side


class Box(Shape):
    def __init__(self, width: int, height: int) -> None:
        Shape.__init__(self, "box")
        self.width, self.height = width, height

    def area(self) -> int:
        return self.width * self.height

    @property
    def diagonal(self) -> int:
        return self.width * self.width + self.height * self.height


class Point:
    __slots__ = ("x", "y")

    def __init__(self, x: int, y: int) -> None:
        self.x, self.y = x, y

    def __add__(self, other: "Point") -> "Point":
        return Point(self.x + other.x, self.y + other.y)


def total(count: int) -> int:
    shapes = [Square(3), Box(2, 5), Square(7), Shape("nothing")]
    place, result = Point(0, 0), 0
    for i in range(count):
        shape = shapes[i % 4]
        result += shape.describe()
        if isinstance(shape, Box):
            result += shape.diagonal
            shape.width = i % 9
        place = place + Point(i, 1)
    return result + place.x - place.y


print(total(8000))
