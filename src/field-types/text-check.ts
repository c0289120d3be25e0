/**
 * A rule for the text of a control, which a page applies while a form is filled in. It has the message of `violations`, and
 * accepts everything that they accept, but for values that only programs may write.
 */
export interface TextCheck {
  /** A regular expression that matches valid texts. */
  readonly pattern?: string;
  readonly flags?: string;
  /** The least and greatest number. */
  readonly min?: number;
  readonly max?: number;
  /** `{value}` stands for the text. */
  readonly message: string;
}

interface LabelledValue {
  readonly label: string;
}

/** Returns the rule of a regular expression. */
export function matches({ source, flags }: RegExp, message: string): TextCheck {
  return { pattern: source, flags, message };
}

/** Returns the sentence about a text with too many characters. */
export function tooLongMessage({ label }: LabelledValue, maxCharacters: number): string {
  return `${label}: may not be longer than ${maxCharacters} characters.`;
}

/** Returns the rule of a maximum number of characters (code points). */
export function lengthCheck(definition: LabelledValue, maxCharacters: number): TextCheck {
  return { pattern: `^[^]{0,${maxCharacters}}$`, flags: 'u', message: tooLongMessage(definition, maxCharacters) };
}

/** Returns the rules of a least and greatest number. A count has a message of its own. */
export function rangeChecks(
  min: number | undefined,
  max: number | undefined,
  { label }: LabelledValue,
  isCount = false,
): TextCheck[] {
  const least = isCount ? 'The integer must be larger or equal to 0.' : `the value may be no less than ${min}.`;
  return [
    ...(min === undefined ? [] : [{ min, message: `${label}: ${least}` }]),
    ...(max === undefined ? [] : [{ max, message: `${label}: the value may be no greater than ${max}.` }]),
  ];
}
