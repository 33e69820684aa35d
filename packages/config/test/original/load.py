"""Ganeti's answer to configurations: one JSON text per line in, one answer per line out.

A configuration takes the way of an upgrade: the steps of `cfgupgrade` if it is old, then the test that `cfgupgrade` makes
of the new file, which fills it and writes it. The running wconfd then parses what was written; its types are the strict
ones. The answer is `{"taken": CONFIGURATION}`, or `{"refused": TEXT, "by": PROGRAM}`.
"""

import json
import logging
import os
import sys
import tempfile

# pylint: disable=wrong-import-position
from ganeti import constants, serializer, wconfd
from ganeti.tools import cfgupgrade
from ganeti.utils import version

# What wconfd says to a configuration that it has parsed, if the caller does not hold the lock to write it.
PARSED = "Requested lock"
NOBODY = ["0", "/nonexistent", 1]


class Refused(Exception):
    """Refusal with its text, by the program that is its second argument."""


class Loader:
    def __init__(self):
        folder = tempfile.mkdtemp()
        self.file = os.path.join(folder, "config.data")
        with open(os.path.join(folder, "file-storage-paths"), "wb"):
            pass
        arguments = ["--path", folder, "--confdir", folder, "--ignore-hostname", "--force"]
        self.options = cfgupgrade.ParseOptions(arguments)[0]
        self.daemon = wconfd.Client()

    def taken(self, text):
        try:
            data = self.upgraded(json.loads(text))
        except BaseException as error:  # pylint: disable=broad-except
            raise Refused(f"{type(error).__name__}: {error}", "cfgupgrade") from error
        try:
            self.daemon.WriteConfig(NOBODY, data)
        except Exception as error:  # pylint: disable=broad-except
            if PARSED not in str(error):
                raise Refused(str(error), "wconfd") from error
        return data

    def upgraded(self, data):
        """As in `CfgUpgrade.Run`, without its questions and certificates."""
        tool = cfgupgrade.CfgUpgrade(self.options, [])
        tool._ComposePaths()
        tool.config_data = data
        major, minor, _ = version.SplitVersion(data["version"])
        if "config_version" in data["cluster"]:
            raise ValueError("config_version in the cluster")
        if (major, minor) != (constants.CONFIG_MAJOR, constants.CONFIG_MINOR):
            if major not in (2, constants.CONFIG_MAJOR) or not tool.UpgradeAll():
                raise ValueError("; ".join(tool.errors))
        with open(self.file, "wb") as file:
            file.write(serializer.DumpJson(tool.config_data))
        tool._TestLoadingConfigFile()
        with open(self.file, encoding="utf-8") as file:
            return json.load(file)


def main():
    logging.disable(logging.CRITICAL)
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    # The steps of the upgrade print what they do.
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    os.dup2(1, 2)
    loader = Loader()
    for line in sys.stdin:
        try:
            answer = {"taken": loader.taken(line)}
        except Refused as refusal:
            answer = dict(zip(("refused", "by"), refusal.args))
        print(json.dumps(answer), file=answers, flush=True)


main()
