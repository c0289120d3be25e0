export { dateInWords } from '../field-types/display/date-in-words.ts';
export { edtfProblem } from '../field-types/edtf-syntax.ts';
