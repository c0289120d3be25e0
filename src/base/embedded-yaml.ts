import { YAML } from 'bun';
import { parseYamlText, type YamlFile } from './yaml-file.ts';

/**
 * A configuration file that is part of the program; `file` is what errors call it. The native parser is some
 * thirty times as fast but knows no lines, and every start reads these files. So lines are looked up by the
 * other one, and only when a message needs them.
 */
export function embeddedYaml(file: string, text: string): YamlFile {
  let withLines: YamlFile | undefined;
  return {
    file,
    value: YAML.parse(text),
    lineOf(path) {
      withLines ??= parseYamlText(file, text, () => undefined);
      return withLines.lineOf(path);
    },
    bareVariables: [],
    redact: (message) => message,
  };
}
