import { malformed } from '../base/errors.ts';
import { extensionOf } from '../base/media-type.ts';
import { nearest } from '../base/nearest.ts';
import { pandocDestination, pandocSource } from './pandoc-format.ts';

/** What the variables of a command's arguments are filled from. */
export interface SubstitutionValues {
  /** The words of `X-Repo-Args`. */
  args: readonly string[];
  sourceType: string;
  destinationType: string | undefined;
  sourceUri?: string | undefined;
  destinationUri?: string | undefined;
  fileUploadUri?: string | undefined;
  target?: string | undefined;
  canonical?: string | undefined;
}

/** Where a variable needs a destination type and the request names none (decisions: "Processor"). */
const FALLBACK_DESTINATION_TYPE = 'text/plain';

const destinationOf = (values: SubstitutionValues) => values.destinationType ?? FALLBACK_DESTINATION_TYPE;
const extension = (mediaType: string) => extensionOf(mediaType) ?? unknownType(mediaType);
const address = (name: string, value: string | undefined) => value ?? missing(name);

const VARIABLES: Record<string, (values: SubstitutionValues) => string> = {
  '%source-mime-ext': (values) => extension(values.sourceType),
  '%source-mime-pandoc': (values) => pandocSource(values.sourceType) ?? unknownType(values.sourceType),
  '%destination-mime-ext': (values) => extension(destinationOf(values)),
  '%destination-mime-pandoc': (values) =>
    pandocDestination(destinationOf(values)) ?? unknownType(destinationOf(values)),
  '%source-uri': (values) => address('%source-uri', values.sourceUri),
  '%destination-uri': (values) => address('%destination-uri', values.destinationUri),
  '%file-upload-uri': (values) => address('%file-upload-uri', values.fileUploadUri),
  '%target': (values) => address('%target', values.target),
  '%canonical': (values) => address('%canonical', values.canonical),
};
const ARGS = '%args';
const ANY_VARIABLE = new RegExp(Object.keys(VARIABLES).join('|'), 'g');

/**
 * The argument list for one request (spec: processor, "Substitution variables in args"). `%args` as
 * a whole argument becomes the request's words, none or many; the others are replaced wherever they
 * stand. `%destination-mime-ext:-` thus becomes `jpg:-`. A value is never split and never scanned again.
 * Throws `malformed` for a variable that is used and whose value the request does not give.
 */
export function substitute(args: readonly string[], values: SubstitutionValues): string[] {
  return args.flatMap((arg) =>
    arg === ARGS
      ? values.args
      : arg.replace(ANY_VARIABLE, (name) => (VARIABLES[name] as (v: SubstitutionValues) => string)(values)),
  );
}

/** What looks like a slip in configured arguments: `%args` inside a longer one, or a variable misspelt. */
export function problemsInArguments(args: readonly string[]): { index: number; message: string }[] {
  return args.flatMap((arg, index) => {
    if (arg !== ARGS && arg.includes(ARGS)) {
      return { index, message: `"${arg}": ${ARGS} stands for any number of arguments and must be one of its own` };
    }
    const rest = arg.replace(ANY_VARIABLE, '').match(/%[a-z]+(-[a-z]+)*/)?.[0];
    if (rest === undefined || rest === ARGS || rest.length < 5) return [];
    const guess = nearest(rest, [ARGS, ...Object.keys(VARIABLES)]);
    return guess ? { index, message: `"${arg}": unknown variable ${rest}; did you mean ${guess}?` } : [];
  });
}

function unknownType(mediaType: string): never {
  throw malformed(`The MIME type ${mediaType} is not one that this command can be told about.`);
}

function missing(variable: string): never {
  throw malformed(`This command needs ${variable}, which the request does not give.`);
}
