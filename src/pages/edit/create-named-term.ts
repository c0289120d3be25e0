import { createTermOnce } from '../../authorities/create-term-once.ts';
import { ServiceError } from '../../base/errors.ts';
import { ValidationFailed } from '../../repository/errors.ts';
import type { Call } from '../../web/call.ts';
import type { EditableField } from './arrange-fields.ts';
import { controlName } from './content-form-data.ts';
import { targetText } from './described-targets.ts';
import type { FormButton } from './form-state.ts';
import { newTermVocabularies } from './new-term-choices.ts';
import { resolveTarget } from './resolve-target.ts';

/** Why a name cannot become a term, and the member of the value with the name. */
interface NameProblem {
  readonly member: string;
  readonly message: string;
}

/**
 * Carries out the button that creates the term of a row: creates it, and names it with its number in the form. Returns the
 * problem of a name that cannot become a term, and changes nothing then.
 */
export async function createNamedTerm(
  call: Call,
  fields: readonly EditableField[],
  { fields: sent, button }: { readonly fields: URLSearchParams; readonly button: FormButton },
): Promise<NameProblem | undefined> {
  const field = fields.find(({ definition }) => definition.name === button.field);
  const target = field?.controls.find(({ kind }) => kind === 'target');
  if (field === undefined || target === undefined) return undefined;
  const control = controlName(button.field, button.delta, target.member);
  const name = sent.get(control)?.trim() ?? '';
  const open = newTermVocabularies(call, field.definition);
  const vocabulary = button.vocabulary === undefined ? open[0] : open.find((each) => each.name === button.vocabulary);
  if (vocabulary === undefined || name === '') return undefined;
  const known = await resolveTarget(call, field.definition, name);
  // Another user may have created it meanwhile.
  if ('id' in known) sent.set(control, targetText({ id: known.id, label: name }));
  if ('id' in known || known.choices.length === 0) return undefined;
  const { services, kinds } = call.api;
  try {
    const { id } = await createTermOnce(services, call.actor, kinds.taxonomy_term, vocabulary, name);
    sent.set(control, targetText({ id, label: name }));
    return undefined;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const message = error instanceof ValidationFailed ? error.violations[0]?.message : undefined;
    return { member: target.member, message: message ?? error.publicMessage };
  }
}
