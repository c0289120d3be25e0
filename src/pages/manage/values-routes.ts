import { createHash } from 'node:crypto';
import type { BulkParameters } from '../../bulk/bulk-action.ts';
import { previewValues } from '../../bulk/preview-values.ts';
import { startRun } from '../../bulk/start-run.ts';
import type { ValuesChange } from '../../bulk/values-change.ts';
import { pathOf, paths } from '../../paths.ts';
import type { ApiServices } from '../../web/api-services.ts';
import type { Call } from '../../web/call.ts';
import { resource } from '../../web/check.ts';
import { formAnswer, seeOther } from '../../web/form-answer.ts';
import { formBody } from '../../web/form-body.ts';
import { PAGE_FORMATS } from '../../web/formats.ts';
import { requireUser } from '../edit/completion-routes.ts';
import { editorFormats, ROW_ACTIONS, withRow } from '../edit/content-form.ts';
import { createNamedTerm } from '../edit/create-named-term.ts';
import { buttonOf, type FormButton, withButton } from '../edit/form-state.ts';
import { gatherFields } from '../edit/gather-content-form.ts';
import type { FormProblem } from '../forms/error-summary.tsx';
import type { BulkSelection } from './bulk-data.ts';
import {
  backTo,
  findSelection,
  type ItemSelection,
  parseSelection,
  requireSelection,
  selectionFields,
  selectionProblems,
  startProblems,
} from './bulk-selection.ts';
import { gatherPreview, type PreviewData } from './gather-preview.ts';
import { choiceProblem, type ReadValues, readValues, type ValuesEntries, valuesEntries } from './read-values.ts';
import { shownFields } from './values-fields.ts';
import { PREVIEWED, valuesPage } from './values-page.tsx';

/** A form as it was sent: its fields, and the pressed button. */
interface SentForm {
  readonly fields: URLSearchParams;
  readonly button: FormButton;
}

/** The route of the form that changes values of many items. */
export const valuesRoutes = (api: ApiServices) =>
  resource(api).post(paths.bulkValues, async ({ call, body }) => answerSent(call, body), {
    check: { form: 'large', formats: PAGE_FORMATS, access: requireUser },
    body: formBody((fields): SentForm => ({ fields, button: buttonOf(fields) })),
  });

/** Answers with the form that changes values of a selection. */
export async function answerValues(call: Call, selection: BulkSelection, field = ''): Promise<Response> {
  const selected = await findSelection(call, selection);
  const entries = valuesEntries(call, selection.kind, new URLSearchParams({ field }));
  return answer(call, { selection, selected, entries, problems: selectionProblems(selected) });
}

async function answerSent(call: Call, { fields: sent, button }: SentForm): Promise<Response> {
  const selection = parseSelection(selectionFields(sent));
  await requireSelection(call, selection);
  const selected = await findSelection(call, selection);
  const refused = button.action === 'create' ? await createTerm(call, selection, { fields: sent, button }) : undefined;
  const entries = valuesEntries(call, selection.kind, sent);
  const chosen = choiceProblem(call, entries);
  const page = { selection, selected, entries };
  const ofSelection = selectionProblems(selected);
  if (chosen !== undefined || ofSelection.length > 0)
    return answer(call, { ...page, problems: chosen ? [...ofSelection, chosen] : ofSelection, status: 422 });
  if (ROW_ACTIONS.has(button.action)) {
    const state = withButton(withRow(entries.state, button), button);
    return answer(call, { ...page, entries: { ...entries, state }, problems: [], showsFields: true });
  }
  const isForm = button.action === 'edit' || button.action === 'create';
  if (isForm || !entries.isShown) {
    const problems = refused === undefined ? [] : [{ message: refused }];
    return answer(call, { ...page, problems, showsFields: true, status: refused === undefined ? 200 : 422 });
  }
  const read = await readValues(call, entries);
  const { change } = read;
  if (change === undefined || entries.field === undefined)
    return answer(call, { ...page, read, problems: read.problems, showsFields: true, status: 422 });
  const parameters = parametersOf(entries, entries.field, change);
  const fingerprint = fingerprintOf(parameters);
  const problems: FormProblem[] = [];
  if (button.action === 'save') {
    problems.push(...(await startProblems(call, selected, Number(sent.get('confirmed') ?? 0))));
    if (sent.get(PREVIEWED) !== fingerprint)
      problems.push({ message: 'This is another change than the one in the preview. Read the preview again.' });
    if (problems.length === 0) {
      const run = { type: selection.kind, action: selection.action, parameters };
      const id = await startRun(call.api.services.database, call.actor, run, selected.ids);
      call.api.bulk.wake();
      return seeOther(call, pathOf('bulkRun', { run: id }));
    }
  }
  const run = { type: selection.kind, action: selection.action, parameters };
  const preview = await previewValues(call.api, call.actor, run, selected.ids);
  return answer(call, {
    ...{ ...page, read, problems, fingerprint, showsFields: true, status: problems.length > 0 ? 422 : 200 },
    preview: await gatherPreview(call, entries.field, preview, selected.ids.length),
  });
}

/** Carries out the button that creates the term of a row. Returns why its name cannot become a term. */
async function createTerm(call: Call, { kind }: BulkSelection, sent: SentForm): Promise<string | undefined> {
  const { field, operation } = valuesEntries(call, kind, sent.fields);
  return field && (await createNamedTerm(call, shownFields(field, operation), sent))?.message;
}

type ValuesParameters = BulkParameters & { readonly field: string };

function parametersOf(
  { reason }: ValuesEntries,
  { definition: { name, label } }: NonNullable<ValuesEntries['field']>,
  change: ValuesChange,
): ValuesParameters {
  return { field: name, targetLabel: label, change, ...(reason !== '' && { reason }) };
}

function fingerprintOf({ field, change }: ValuesParameters): string {
  return createHash('sha256')
    .update(JSON.stringify([field, change]))
    .digest('base64url');
}

/** The parts of the page of a change of values. */
interface PageParts {
  readonly selection: BulkSelection;
  readonly selected: ItemSelection;
  readonly entries: ValuesEntries;
  readonly problems: readonly FormProblem[];
  /** True for the form of the chosen field and operation. */
  readonly showsFields?: boolean;
  readonly read?: ReadValues;
  readonly preview?: PreviewData;
  readonly fingerprint?: string;
  readonly status?: number;
}

async function answer(call: Call, parts: PageParts): Promise<Response> {
  const { selection, selected, entries, problems, showsFields = false, read, preview, fingerprint, status } = parts;
  const { api, identity, site } = call;
  const { ids, isTooMany, first } = selected;
  const { field } = entries;
  const gathered =
    showsFields && field !== undefined
      ? await gatherFields(call, {
          ...{ kind: api.kinds[selection.kind], bundle: field.bundle },
          ...{ fields: shownFields(field, entries.operation), state: read?.read?.state ?? entries.state },
          ...{ opened: new Set<string>(), violations: read?.violations ?? [] },
          creatable: read?.read?.creatable ?? new Map(),
        })
      : undefined;
  const data = {
    ...{ selection, first, entries, preview, fingerprint },
    count: isTooMany ? 0 : ids.length,
    fields: gathered?.groups.flatMap((group) => group.fields),
    formats: editorFormats(api.services.model),
    problems: [...problems, ...(gathered?.messages ?? [])],
    token: identity.sessionId === undefined ? undefined : call.formToken,
    back: backTo(selection),
  };
  return formAnswer(valuesPage(data, site), status);
}
