"""The cases that an entry brings along are judged as it says."""

import pytest

from kb.assessment import Submission, assess
from kb.entry_file import EntryFile
from kb.knowledge import shipped


@pytest.mark.parametrize("entry", shipped().entries, ids=lambda entry: entry.slug)
def test_an_entry_is_among_the_first_three_causes_of_its_examples(entry: EntryFile):
    for example in entry.examples:
        case = Submission(example.symptom, example.command, example.log, example.nvidia_smi)
        first = [cause.slug for cause in assess(case, shipped()).causes[:3]]
        assert entry.slug in first, example.symptom
