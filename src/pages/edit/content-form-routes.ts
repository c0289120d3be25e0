import { Type as t } from '@sinclair/typebox';
import { isEqualValue } from '../../field-types/equal-items.ts';
import { MISSING } from '../../field-types/violation.ts';
import { entityPath, pathOf, paths } from '../../paths.ts';
import type { LinkedType } from '../../repository/access-rule.ts';
import { type Content, open } from '../../repository/content/content.ts';
import type { SubmittedValues } from '../../repository/content/fill/check-values.ts';
import { previewChange, previewNew } from '../../repository/content/write/preview-content.ts';
import { changeContent, createContent } from '../../repository/content/write/save-content.ts';
import { validationFailed } from '../../repository/errors.ts';
import { MEDIA_OF } from '../../repository/relations.ts';
import { listRevisions } from '../../repository/revisions/revisions.ts';
import type { ApiServices } from '../../web/api-services.ts';
import type { Call } from '../../web/call.ts';
import { resource } from '../../web/check.ts';
import { etagFor } from '../../web/content-links.ts';
import { findOr404 } from '../../web/find-content-or-404.ts';
import { seeOther } from '../../web/form-answer.ts';
import { formBody } from '../../web/form-body.ts';
import { PAGE_FORMATS } from '../../web/formats.ts';
import { id } from '../../web/parameters.ts';
import { VARY_BY_ACCEPT } from '../../web/respond.ts';
import { gatherMembersOf } from '../members/gather-members.ts';
import { answerPreview } from './answer-preview.ts';
import {
  answerForm,
  answerSent,
  comesFromFile,
  type FormTarget,
  formTarget,
  stateOfContent,
  stateOfNew,
} from './content-form.ts';
import { type ForeignChange, VERSION } from './content-form-data.ts';
import { buttonOf, type FormButton } from './form-state.ts';
import { NewTerms } from './new-terms.ts';
import type { ReadForm } from './read-content-form.ts';

/** A form as it was sent: its fields, and the pressed button. */
interface SentForm {
  readonly fields: URLSearchParams;
  readonly button: FormButton;
}

const sentForm = formBody((fields): SentForm => ({ fields, button: buttonOf(fields) }));

const NOUNS: Readonly<Record<LinkedType, string>> = { node: 'node', media: 'media', taxonomy_term: 'term' };

/** The routes of the forms that create and change content. Their fields and controls follow from the content model. */
export const contentFormRoutes = (api: ApiServices) => {
  const app = resource(api);
  addCreation(app, 'node', paths.nodeAddForm, 'node_type');
  addCreation(app, 'media', paths.mediaAddForm, 'media_type');
  addCreation(app, 'taxonomy_term', paths.termAddForm, 'taxonomy_vocabulary');
  addChange(app, 'node', paths.nodeEdit);
  addChange(app, 'taxonomy_term', paths.termEdit);
  addChangePost(app, 'media', paths.mediaEdit);
  return app;
};

type App = ReturnType<typeof resource>;

function addCreation(app: App, type: LinkedType, path: string, parameter: string): void {
  const params = t.Object({
    [parameter]: t.String({ description: `The machine name of the ${parameter.replaceAll('_', ' ')}.` }),
  });
  const targetFor = (call: Call) => newTarget(call, type, parameter);
  app
    .get(path, async ({ call }) => answerForm(call, targetFor(call), await stateOfNew(call, targetFor(call))), {
      check: { formats: PAGE_FORMATS, access: targetFor },
      params,
    })
    .post(path, async ({ call, body }) => create(call, targetFor(call), body), {
      check: { form: 'large', formats: PAGE_FORMATS, access: targetFor },
      params,
      body: sentForm,
    });
}

function addChange(app: App, type: LinkedType, path: string): void {
  const params = t.Object({ [type]: id(`The id of the ${NOUNS[type]}.`) });
  app.get(path, async ({ call }) => showStored(call, type), {
    check: { formats: PAGE_FORMATS },
    params,
  });
  addChangePost(app, type, path);
}

function addChangePost(app: App, type: LinkedType, path: string): void {
  app.post(path, async ({ call, body }) => change(call, type, body), {
    check: { form: 'large', formats: PAGE_FORMATS, access: (call: Call) => findChangeable(call, type) },
    params: t.Object({ [type]: id(`The id of the ${NOUNS[type]}.`) }),
    body: sentForm,
  });
}

/** Returns the form of new content. Throws 404 for an unknown bundle, and 401 or 403 if the caller may not create it. */
function newTarget(call: Call, type: LinkedType, parameter: string): FormTarget {
  const kind = call.api.kinds[type];
  const bundle = kind.bundles.get(call.params[parameter] ?? '');
  if (bundle === undefined) throw call.notFound(parameter);
  call.allow(kind.access.create(call.actor.anywhere(), bundle.name));
  return formTarget(call, kind, bundle);
}

async function findChangeable(call: Call, type: LinkedType): Promise<Content> {
  const content = await findOr404(call, type);
  // The form shows what it changes.
  call.allow(content.kind.access.view(call.actor, content.head));
  call.allow(content.kind.access.update(call.actor, content.head));
  return content;
}

/** Answers the form of stored content. */
export async function showStored(call: Call, type: LinkedType): Promise<Response> {
  const content = await findChangeable(call, type);
  const target = formTarget(call, content.kind, content.bundle, content);
  const response = await answerForm(call, target, await stateOfContent(call, target, content));
  response.headers.set('ETag', etagFor(call, content));
  if (call.isNegotiated) response.headers.set('Vary', VARY_BY_ACCEPT);
  return response;
}

async function create(call: Call, target: FormTarget, sent: SentForm): Promise<Response> {
  const { api, actor } = call;
  const { kind, bundle } = target;
  const newTerms = newTermsOf(call, sent);
  const save = async ({ values }: ReadForm) => {
    if (comesFromFile(bundle)) return seeOther(call, uploadPath(values));
    if (newTerms !== undefined) {
      const content = await previewNew(api.services, actor, kind, bundle, values, { newTargets: newTerms.targets });
      return answerPreview(call, { content, isNew: true, fields: sent.fields, newTerms });
    }
    const { head } = await createContent(api.services, actor, kind, bundle, values);
    const path = entityPath[kind.type](head.id);
    return seeOther(call, sent.button.action === 'save' ? `${path}/edit` : path, `Created ${bundle.label}.`);
  };
  return answerSent(call, target, sent, save, newTerms);
}

/** Returns the place for the new terms of a preview. Undefined for any other button: it saves no name without its term. */
function newTermsOf(call: Call, { button }: SentForm): NewTerms | undefined {
  return button.action === 'preview' ? new NewTerms(call) : undefined;
}

/** Returns the path of the page that takes the files of the item of a media. Throws for a media without one. */
function uploadPath(values: SubmittedValues): string {
  const [item] = values.get(MEDIA_OF) ?? [];
  if (item === undefined) throw validationFailed([{ path: MEDIA_OF, message: MISSING }]);
  return pathOf('nodeUpload', { node: String(item.target_id) });
}

async function change(call: Call, type: LinkedType, sent: SentForm): Promise<Response> {
  const { api, actor } = call;
  const content = await findChangeable(call, type);
  const target = formTarget(call, content.kind, content.bundle, content);
  const newTerms = newTermsOf(call, sent);
  const save = async (read: ReadForm) => {
    const opened = Number(sent.fields.get(VERSION));
    let first: Content | undefined = content;
    let conflicting: Content | undefined;
    const options = {
      read: async () => {
        const current = first ?? (await findOr404(call, type));
        first = undefined;
        return current;
      },
      check: (current: Content) => {
        call.require(current.kind.access.update(actor, current.head));
        if (current.head.version === opened) return;
        conflicting = current;
        throw new Superseded();
      },
      note: call.note,
    };
    const written = await (newTerms === undefined
      ? changeContent(api.services, actor, read.values, options)
      : previewChange(api.services, actor, read.values, { ...options, newTargets: newTerms.targets })
    ).catch((error: unknown) => {
      if (error instanceof Superseded) return undefined;
      throw error;
    });
    if (written === undefined && conflicting !== undefined) return answerConflict(call, conflicting, read);
    if (written !== undefined && newTerms !== undefined)
      return answerPreview(call, { content: written, isNew: false, fields: sent.fields, newTerms });
    const path = entityPath[type](content.head.id);
    const notice = ['Saved.', ...call.notices].join(' ');
    const question = written && (await membersQuestion(call, content, written));
    if (question !== undefined) return seeOther(call, question, notice);
    return seeOther(call, sent.button.action === 'save' ? `${path}/edit` : path, notice);
  };
  return answerSent(call, target, sent, save, newTerms);
}

/** Returns the address of the page that asks whether the members follow a new status. Undefined if there is nothing to ask. */
async function membersQuestion(call: Call, before: Content, { kind, head }: Content): Promise<string | undefined> {
  if (kind.type !== 'node' || before.head.status === head.status) return undefined;
  const action = head.status ? 'publish' : 'unpublish';
  if ((await gatherMembersOf(call, before, action)) === undefined) return undefined;
  return `${pathOf('nodePublication', { node: head.id })}?action=${action}`;
}

/** Another user has saved the content since the form was opened. */
class Superseded extends Error {}

/** Answers a form whose content was saved meanwhile, with the values that differ. Saving it once more overwrites them. */
async function answerConflict(call: Call, current: Content, { state, values, creatable }: ReadForm): Promise<Response> {
  const target = formTarget(call, current.kind, current.bundle, current);
  const { types } = call.api.services.fields;
  const { draft, values: stored } = open(current);
  const saved = await stateOfContent(call, target, current);
  const changes = target.fields.flatMap(({ definition }): ForeignChange[] => {
    const { name, label } = definition;
    const submitted = values.get(name);
    const before = current.kind.baseFieldNamed.get(name)?.read(draft) ?? stored[name] ?? [];
    if (submitted === undefined || name === current.kind.names.revisionLog) return [];
    if (isEqualValue(submitted, before, definition, types)) return [];
    const change = { label, saved: textsOf(saved.get(name)), typed: textsOf(state.get(name)) };
    // An empty value may be stored in more than one way.
    return change.saved === change.typed ? [] : [change];
  });
  const [revision] = await listRevisions(call.api.services, current.kind, current.head.id, { limit: 1, offset: 0 });
  const conflict = { by: revision?.user?.name, changes };
  return answerForm(call, target, state, { status: 409, conflict, isChanged: true, read: { creatable } });
}

function textsOf(rows: readonly { readonly texts: Readonly<Record<string, string>> }[] | undefined): string {
  return (rows ?? []).map(({ texts }) => Object.values(texts).filter(Boolean).join(', ')).join('; ');
}
