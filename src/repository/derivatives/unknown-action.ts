import { nearest } from '../../base/nearest.ts';
import type { DerivativeRules } from '../../derivatives/rules.ts';

/** What to say to someone who names an action that the rules do not have. */
export function unknownAction({ actions }: DerivativeRules, name: string): string {
  const known = [...actions.keys()];
  const guess = nearest(name, known);
  const hint = guess === undefined ? `the rules have ${known.join(', ')}` : `did you mean ${guess}?`;
  return `There is no action named ${name}; ${hint}`;
}
