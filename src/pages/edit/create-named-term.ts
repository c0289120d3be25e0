import { createContent } from '../../repository/content/write/save-content.ts';
import type { Call } from '../../web/call.ts';
import type { FormTarget } from './content-form.ts';
import { controlName } from './content-form-data.ts';
import type { FormButton } from './form-state.ts';
import { newTermBundle, resolveTarget, targetText } from './resolve-target.ts';

/**
 * Carries out the button that creates the term of a row: creates it, and names it with its number in the form. Throws as
 * `createContent` does.
 */
export async function createNamedTerm(
  call: Call,
  { fields }: Pick<FormTarget, 'fields'>,
  { fields: sent, button }: { readonly fields: URLSearchParams; readonly button: FormButton },
): Promise<void> {
  const field = fields.find(({ definition }) => definition.name === button.field);
  const target = field?.controls.find(({ kind }) => kind === 'target');
  if (button.action !== 'create' || field === undefined || target === undefined) return;
  const control = controlName(button.field, button.delta, target.member);
  const name = sent.get(control)?.trim() ?? '';
  const { api, actor } = call;
  const kind = api.kinds.taxonomy_term;
  const bundle = kind.bundles.get(newTermBundle(call, field.definition) ?? '');
  if (bundle === undefined || name === '') return;
  // Another user may have created it meanwhile.
  const known = await resolveTarget(call, field.definition, name);
  if ('id' in known) return void sent.set(control, targetText({ id: known.id, label: name }));
  const { head } = await createContent(api.services, actor, kind, bundle, new Map([['name', [{ value: name }]]]));
  sent.set(control, targetText({ id: head.id, label: name }));
}
