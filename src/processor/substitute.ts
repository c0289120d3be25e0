import { malformed } from '../base/errors.ts';
import { extensionOf } from '../base/media-type.ts';
import { nearest } from '../base/nearest.ts';
import { pandocDestination, pandocSource } from './pandoc-format.ts';

/** What the variables of a command's arguments are filled from. */
export interface SubstitutionValues {
  /** The words of `X-Repo-Args`. */
  args: readonly string[];
  /** Undefined for a request without a file. */
  sourceType: string | undefined;
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
const sourceOf = (values: SubstitutionValues) => values.sourceType ?? noSourceType();
const extension = (mediaType: string) => extensionOf(mediaType) ?? unknownType(mediaType);

const VARIABLES: Record<string, (values: SubstitutionValues) => string | undefined> = {
  '%source-mime-ext': (values) => extension(sourceOf(values)),
  '%source-mime-pandoc': (values) => pandocSource(sourceOf(values)) ?? unknownType(sourceOf(values)),
  '%destination-mime-ext': (values) => extension(destinationOf(values)),
  '%destination-mime-pandoc': (values) =>
    pandocDestination(destinationOf(values)) ?? unknownType(destinationOf(values)),
  '%source-uri': (values) => values.sourceUri,
  '%destination-uri': (values) => values.destinationUri,
  '%file-upload-uri': (values) => values.fileUploadUri,
  '%target': (values) => values.target,
  '%canonical': (values) => values.canonical,
};
/** The placeholder for the words of `X-Repo-Args`. */
export const ARGS = '%args';
const CANONICAL = '%canonical';
const ANY_VARIABLE = new RegExp(Object.keys(VARIABLES).join('|'), 'g');

/**
 * Returns the argument list for one request (spec: processor, "Substitution variables in args"). `%args` as
 * a whole argument becomes the request's words, none or many; the others are replaced wherever they
 * stand. `%destination-mime-ext:-` thus becomes `jpg:-`. A value is never split and never scanned again.
 * A variable without a value is empty text; an argument that is `%canonical` alone then disappears
 * (decisions: "a variable without a value"). Throws `malformed` for a MIME type that has no name for the
 * variable that needs it.
 */
export function substitute(args: readonly string[], values: SubstitutionValues): string[] {
  return args.flatMap((arg) => {
    if (arg === ARGS) return values.args;
    if (arg === CANONICAL && values.canonical === undefined) return [];
    return arg.replace(ANY_VARIABLE, (name) => VARIABLES[name]?.(values) ?? '');
  });
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

function noSourceType(): never {
  throw malformed('This command needs the MIME type of a source file, and the request has neither.');
}
