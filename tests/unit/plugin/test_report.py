import io
import os

from plugin.report import Report


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_shows_what_is_waited_for_on_a_line_that_goes_away() -> None:
    stream = Terminal()
    report = Report(stream)
    report.waiting("waiting: 1 s")
    report.waiting("waiting: 2 s")
    report.line("there")
    assert stream.getvalue() == "waiting: 1 s\r\x1b[2Kwaiting: 2 s\r\x1b[2Kthere\n"


def test_a_file_gets_whole_lines_only() -> None:
    stream = io.StringIO()
    report = Report(stream)
    report.waiting("waiting: 1 s")
    report.line("there")
    assert stream.getvalue() == "there\n"


def test_a_reader_that_went_away_does_not_stop_the_writer() -> None:
    read_end, write_end = os.pipe()
    os.close(read_end)
    with os.fdopen(write_end, "w") as stream:
        report = Report(stream)
        report.line("nobody reads this")
        report.line("nor this")
