"""Right and wrong answers, as packages that evaluate language models log them."""

import json

import pytest

from skpostbac import compare_outcomes
from skpostbac.__main__ import main

REASON = "needs the group ecosystem"
# Questions that a model gets wrong, of eight.
WRONG = {"old": {1, 4, 6}, "new": {4}}
N_QUESTIONS = 8
RIGHT = {
    name: [number not in wrong for number in range(N_QUESTIONS)]
    for name, wrong in WRONG.items()
}
# What these packages warn of is not of this one.
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(autouse=True)
def private_folders(tmp_path, monkeypatch):
    """Caches and traces of the packages stay out of the user's folders, and off the net."""
    for name in ("XDG_CACHE_HOME", "XDG_DATA_HOME", "HF_HOME"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")


def answer(question, name):
    """Return the answer of a model to "n + n?"."""
    number = int(question.split()[0])
    return str(2 * number + (number in WRONG[name]))


def documents(capsys, *args):
    """Return the JSON object that the command line prints."""
    assert main([*args, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_logs_of_inspect(tmp_path, capsys):
    """Two runs of each question, as the package writes and reads its own logs."""
    inspect_ai = pytest.importorskip("inspect_ai", reason=REASON)
    from inspect_ai.analysis import EvalModel, SampleSummary, samples_df
    from inspect_ai.dataset import Sample
    from inspect_ai.model import ModelOutput, ModelUsage, get_model
    from inspect_ai.scorer import match

    questions = [
        Sample(id=f"q{number}", input=f"{number} + {number}?", target=str(2 * number))
        for number in range(N_QUESTIONS)
    ]
    for name in WRONG:

        def reply(messages, tools, tool_choice, config, name=name):
            output = ModelOutput.from_content(name, answer(messages[-1].text, name))
            output.usage = ModelUsage()  # else it downloads a tokenizer to count
            return output

        task = inspect_ai.Task(dataset=questions, scorer=match(numeric=True), epochs=2)
        (log,) = inspect_ai.eval(
            task,
            model=get_model(f"mockllm/{name}", custom_outputs=reply),
            log_dir=str(tmp_path / "logs"),
            display="none",
        )
        assert log.status == "success"

    samples = samples_df(str(tmp_path / "logs"), columns=[*SampleSummary, *EvalModel])
    samples["right"] = samples["score_match"] == "C"
    answers = samples.pivot(index=["id", "epoch"], columns="model", values="right")
    question = answers.index.get_level_values("id")
    comparison = compare_outcomes(answers, groups=question)
    twice = {f"mockllm/{name}": right * 2 for name, right in RIGHT.items()}
    groups = list(range(N_QUESTIONS)) * 2
    expected = compare_outcomes(twice, groups=groups)
    names = "mockllm/new", "mockllm/old"
    assert comparison.difference(*names).mean() == pytest.approx(
        expected.difference(*names).mean(), rel=1e-12
    )

    path = str(tmp_path / "answers.csv.gz")
    answers.reset_index("epoch", drop=True).to_csv(path)
    document = documents(capsys, path, "--correct", "--groups", "id")
    assert document["data"]["n_groups"] == N_QUESTIONS
    means = {one["name"]: one["mean"] for one in document["posteriors"]}
    for name, posterior in zip(expected.names, expected.posteriors, strict=True):
        assert means[name] == pytest.approx(posterior.mean(), rel=1e-12)


def test_samples_of_lm_evaluation_harness(tmp_path, capsys):
    """One file of samples for each model, as the package writes them."""
    lm_eval = pytest.importorskip("lm_eval", reason=REASON)
    from lm_eval.api.model import LM
    from lm_eval.loggers import EvaluationTracker

    class Model(LM):
        """A model that generates the answers above."""

        def __init__(self, name):
            super().__init__()
            self.name = name

        def generate_until(self, requests):
            return [answer(request.args[0], self.name) for request in requests]

        def loglikelihood(self, requests):
            raise NotImplementedError

        loglikelihood_rolling = loglikelihood

    questions = tmp_path / "questions.jsonl"
    lines = [
        json.dumps({"question": f"{number} + {number}?", "answer": str(2 * number)})
        for number in range(N_QUESTIONS)
    ]
    questions.write_text("\n".join(lines), encoding="utf-8")
    task = {
        "task": "sums",
        "dataset_path": "json",
        "dataset_kwargs": {
            "data_files": {"test": str(questions)},
            "cache_dir": str(tmp_path),
        },
        "test_split": "test",
        "output_type": "generate_until",
        "doc_to_text": "{{question}}",
        "doc_to_target": "{{answer}}",
        "metric_list": [
            {"metric": "exact_match", "aggregation": "mean", "higher_is_better": True}
        ],
    }
    paths = []
    for name in WRONG:
        results = lm_eval.simple_evaluate(
            Model(name), tasks=[dict(task)], log_samples=True, bootstrap_iters=0
        )
        tracker = EvaluationTracker(output_path=str(tmp_path / name))
        tracker.save_results_aggregated(results, results["samples"])
        tracker.save_results_samples("sums", results["samples"]["sums"])
        paths += map(str, (tmp_path / name).rglob("samples_sums_*.jsonl"))
    assert len(paths) == len(WRONG)

    options = ("--correct", "--id", "doc_id", "--classifier", "exact_match")
    document = documents(capsys, *paths, *options)
    expected = compare_outcomes(RIGHT)
    names = [f"exact_match ({path})" for path in paths]
    (difference,) = document["differences"]
    assert [difference["first"], difference["second"]] == names[::-1]
    assert difference["mean"] == pytest.approx(
        expected.difference("new", "old").mean(), rel=1e-12
    )
