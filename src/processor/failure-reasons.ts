/** A reason that another attempt cannot change, for readers. */
interface FailureReason {
  /** Matches the standard error of a command. */
  readonly pattern: RegExp;
  readonly sentence: string;
}

/** Failures of a machine: another attempt, or more resources, may succeed. */
const PASSING =
  /resources exhausted|exceeds limit|no space left|memory|time ?out|permission denied|not found: |lacks it/i;

/** What the programs of config/processor.yaml report about a file that they can never read. */
const REASONS: readonly FailureReason[] = [
  { pattern: /^Command Line Error: Incorrect password/m, sentence: 'The PDF needs a password.' },
  {
    pattern: /^Syntax Error.*: Couldn't (?:find trailer dictionary|read xref table)/m,
    sentence: 'The PDF is damaged.',
  },
  {
    pattern: /LibreOffice cannot read the document|couldn't unpack \w+ container/,
    sentence: 'The document is damaged, or needs a password.',
  },
  { pattern: /the film has no frame that can be read/, sentence: 'The film has no frame that can be read.' },
  { pattern: /does not contain any stream/, sentence: 'The recording has nothing to convert.' },
  {
    pattern: /Invalid data found when processing input/,
    sentence: 'The recording is damaged, or has another type than its own.',
  },
  {
    pattern: /Not a JPEG file|improper image header|insufficient image data|Cannot read TIFF header|no images defined/,
    sentence: 'The image is damaged, or has another type than its own.',
  },
];

/** Returns why a file can never be converted, as a sentence for readers. Undefined for any other failure. */
export function permanentReason(stderr: string): string | undefined {
  if (PASSING.test(stderr)) return undefined;
  return REASONS.find(({ pattern }) => pattern.test(stderr))?.sentence;
}
