import { nearest } from '../../base/nearest.ts';

/** The placeholder for the words of `X-Repo-Args`. */
export const ARGS = '%args';
export const CANONICAL = '%canonical';

/** The variables that are replaced in the arguments of commands. */
const VARIABLES = [
  '%source-mime-ext',
  '%source-mime-pandoc',
  '%destination-mime-ext',
  '%destination-mime-pandoc',
  '%source-uri',
  '%destination-uri',
  '%file-upload-uri',
  '%target',
  CANONICAL,
] as const;
export type Variable = (typeof VARIABLES)[number];

export const ANY_VARIABLE = new RegExp(VARIABLES.join('|'), 'g');

const MIN_VARIABLE_CHARS = 5;

/** Returns probable errors in configured arguments: `%args` inside a longer one, and misspelt variables. */
export function problemsInArguments(args: readonly string[]): { index: number; message: string }[] {
  return args.flatMap((arg, index) => {
    if (arg !== ARGS && arg.includes(ARGS)) {
      return { index, message: `"${arg}": ${ARGS} stands for any number of arguments and must be one of its own` };
    }
    const rest = arg.replace(ANY_VARIABLE, '').match(/%[a-z]+(-[a-z]+)*/)?.[0];
    if (rest === undefined || rest === ARGS || rest.length < MIN_VARIABLE_CHARS) return [];
    const guess = nearest(rest, [ARGS, ...VARIABLES]);
    return guess ? { index, message: `"${arg}": unknown variable ${rest}; did you mean ${guess}?` } : [];
  });
}
