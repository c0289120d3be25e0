import { malformed } from '../base/errors.ts';
import { extensionOf } from '../base/media-type.ts';
import { ANY_VARIABLE, ARGS, CANONICAL, type Variable } from './config/variables.ts';
import { pandocDestination, pandocSource } from './pandoc-format.ts';

/** The values of the variables in a command's arguments. */
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
  /** Extensions by media type, before the usual ones. */
  extensions?: Readonly<Record<string, string>>;
}

/** The destination type of a request that names none. */
const FALLBACK_DESTINATION_TYPE = 'text/plain';

const destinationOf = (values: SubstitutionValues) => values.destinationType ?? FALLBACK_DESTINATION_TYPE;
const sourceOf = (values: SubstitutionValues) => values.sourceType ?? noSourceType();
const extension = ({ extensions }: SubstitutionValues, mediaType: string) =>
  extensions?.[mediaType] ?? extensionOf(mediaType) ?? unknownType(mediaType);

const VALUES: Record<Variable, (values: SubstitutionValues) => string | undefined> = {
  '%source-mime-ext': (values) => extension(values, sourceOf(values)),
  '%source-mime-pandoc': (values) => pandocSource(sourceOf(values)) ?? unknownType(sourceOf(values)),
  '%destination-mime-ext': (values) => extension(values, destinationOf(values)),
  '%destination-mime-pandoc': (values) =>
    pandocDestination(destinationOf(values)) ?? unknownType(destinationOf(values)),
  '%source-uri': (values) => values.sourceUri,
  '%destination-uri': (values) => values.destinationUri,
  '%file-upload-uri': (values) => values.fileUploadUri,
  '%target': (values) => values.target,
  '%canonical': (values) => values.canonical,
};

/**
 * Returns the arguments of a command for one request. An argument that is `%args` becomes the words of the request, none
 * or many. Other variables are replaced anywhere: `%destination-mime-ext:-` becomes `jpg:-`. Values are neither split nor
 * substituted again. A variable without a value becomes an empty text; an argument that is `%canonical` without a value
 * is left out. Throws `malformed` for a MIME type without a name for its variable.
 */
export function substitute(args: readonly string[], values: SubstitutionValues): string[] {
  return args.flatMap((arg) => {
    if (arg === ARGS) return values.args;
    if (arg === CANONICAL && values.canonical === undefined) return [];
    return arg.replace(ANY_VARIABLE, (name) => VALUES[name as Variable](values) ?? '');
  });
}

function unknownType(mediaType: string): never {
  throw malformed(`This command needs a name for the MIME type ${mediaType}, and none is known.`);
}

function noSourceType(): never {
  throw malformed('This command needs the MIME type of a source file, and the request has neither.');
}
