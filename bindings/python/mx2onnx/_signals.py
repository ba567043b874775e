"""Signals while C works. Python runs a signal's handler as soon as the next callback begins, before the callback can catch what the
handler raises: that would be lost. So the handlers wait for a place from which it reaches the caller."""

import signal
import threading
from types import FrameType
from typing import Any, Callable, Dict, List, Optional, Tuple


class Waiting:
    """A context in which handlers of signals wait until run() or the end. `ready` says whether one may run at once."""

    def __init__(self, ready: Callable[[], bool]) -> None:
        self._ready = ready
        self._handlers: Dict[int, Callable[[int, Optional[FrameType]], Any]] = {}
        self._replaced: List[int] = []
        self._arrived: List[Tuple[int, Optional[FrameType]]] = []
        self._over = False

    def _arrive(self, number: int, frame: Optional[FrameType]) -> None:
        if self._over or self._ready():
            self._handlers[number](number, frame)
        else:
            self._arrived.append((number, frame))

    def run(self) -> None:
        """Runs the handlers of the signals that have arrived; all of them, even if one raises."""
        if self._arrived:
            number, frame = self._arrived.pop(0)
            try:
                self._handlers[number](number, frame)
            finally:
                self.run()

    def _restore(self) -> None:
        self._over = True
        try:
            while self._replaced:
                number = self._replaced[-1]
                if signal.getsignal(number) == self._arrive:
                    signal.signal(number, self._handlers[number])
                self._replaced.pop()
        except BaseException:  # of a handler that is back already
            self._restore()
            raise

    def __enter__(self) -> "Waiting":
        if threading.current_thread() is threading.main_thread():  # the only one that runs handlers
            try:
                for number in signal.valid_signals():
                    handler = signal.getsignal(number)
                    if callable(handler):
                        self._handlers[number] = handler
                        self._replaced.append(number)
                        signal.signal(number, self._arrive)
            except BaseException:
                self._restore()
                raise
        return self

    def __exit__(self, *exception: Any) -> None:
        self._restore()
        self.run()
