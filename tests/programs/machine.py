"""An interpreter of a small stack machine."""

PUSH, ADD, SUBTRACT, MULTIPLY, DUPLICATE, SWAP, JUMP_IF, STORE, LOAD, HALT = range(10)


class Machine:
    def __init__(self, code: list[tuple[int, int]]) -> None:
        self.code = code
        self.stack: list[int] = []
        self.memory = [0] * 8

    def run(self) -> int:
        place = 0
        while True:
            op, argument = self.code[place]
            place += 1
            if op == PUSH:
                self.stack.append(argument)
            elif op == ADD:
                self.stack.append(self.stack.pop() + self.stack.pop())
            elif op == SUBTRACT:
                top = self.stack.pop()
                self.stack.append(self.stack.pop() - top)
            elif op == MULTIPLY:
                self.stack.append(self.stack.pop() * self.stack.pop() & 0xFFFFFF)
            elif op == DUPLICATE:
                self.stack.append(self.stack[-1])
            elif op == SWAP:
                self.stack[-1], self.stack[-2] = self.stack[-2], self.stack[-1]
            elif op == JUMP_IF:
                if self.stack.pop() > 0:
                    place = argument
            elif op == STORE:
                self.memory[argument] = self.stack.pop()
            elif op == LOAD:
                self.stack.append(self.memory[argument])
            else:
                return self.memory[0]


code = [(PUSH, 1), (STORE, 0), (PUSH, 2000), (STORE, 1)]
code += [(LOAD, 0), (LOAD, 1), (MULTIPLY, 0), (PUSH, 7), (ADD, 0), (STORE, 0)]
code += [(LOAD, 1), (PUSH, 1), (SUBTRACT, 0), (DUPLICATE, 0), (STORE, 1), (JUMP_IF, 4), (HALT, 0)]
print(Machine(code).run())
