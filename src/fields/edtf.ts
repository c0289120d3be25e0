import { edtfProblem } from './edtf-syntax.ts';
import type { FieldType } from './field-type.ts';
import { plainText } from './text-types.ts';

/** A date in the Extended Date/Time Format, kept as written. */
export const edtf: FieldType = {
  ...plainText,
  violations: (item, definition, context) => {
    const ofText = plainText.violations(item, definition, context);
    if (ofText.length > 0 || typeof item.value !== 'string') return ofText;
    const problem = edtfProblem(item.value);
    return problem === undefined ? [] : [{ path: '', message: `${item.value} is not valid EDTF: ${problem}` }];
  },
};
