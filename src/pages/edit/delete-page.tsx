import { Type as t } from '@sinclair/typebox';
import type { ComponentChildren } from 'preact';
import { countInWords } from '../../base/in-words.ts';
import { siteRoot } from '../../field-types/display/addresses.ts';
import { entityPath, pathOf, paths } from '../../paths.ts';
import { termUriAccess } from '../../repository/access.ts';
import type { LinkedType } from '../../repository/access-rule.ts';
import { type Content, open } from '../../repository/content/content.ts';
import { countReferrers, type ReferrerCount } from '../../repository/content/lists/count-content.ts';
import { removeContent } from '../../repository/content/write/remove-content.ts';
import { removeWithFiles } from '../../repository/media/remove-with-files.ts';
import { MEDIA_OF } from '../../repository/relations.ts';
import { addressWithin } from '../../web/address-within.ts';
import type { ApiServices } from '../../web/api-services.ts';
import type { Call } from '../../web/call.ts';
import { resource } from '../../web/check.ts';
import { findOr404 } from '../../web/find-content-or-404.ts';
import { formAnswer, seeOther } from '../../web/form-answer.ts';
import { PAGE_FORMATS, parametersOf } from '../../web/formats.ts';
import { id } from '../../web/parameters.ts';
import type { HtmlPage } from '../../web/respond.ts';
import type { Site } from '../../web/site.ts';
import type { FormProblem } from '../forms/error-summary.tsx';
import { Checkbox } from '../forms/field.tsx';
import { ActionBar, FormToken, formPage } from '../forms/form-page.tsx';

/** The content that this form deletes. Nodes have one of their own. */
type DeletedType = Exclude<LinkedType, 'node'>;

const NOUNS: Readonly<Record<DeletedType, string>> = { media: 'media', taxonomy_term: 'term' };

/** The routes of the forms that delete media and terms. */
export const deleteFormRoutes = (api: ApiServices) => {
  const app = resource(api);
  addDeletion(app, 'media', paths.mediaDelete);
  addDeletion(app, 'taxonomy_term', paths.termDelete);
  return app;
};

function addDeletion(app: ReturnType<typeof resource>, type: DeletedType, path: string): void {
  const params = t.Object({ [type]: id(`The id of the ${NOUNS[type]}.`) });
  app
    .get(path, async ({ call }) => show(call, type), {
      check: { formats: PAGE_FORMATS },
      params,
    })
    .post(path, async ({ call, body }) => remove(call, type, body.with_files === '1'), {
      check: { form: 'signed', formats: PAGE_FORMATS, access: (call: Call) => findRemovable(call, type) },
      params,
      body: t.Object({ with_files: t.Optional(t.String({ description: '`1` to delete the files of a media, too.' })) }),
    });
}

/** Returns the content of the path. Throws 401 or 403 for a caller who may not delete it. */
export async function findRemovable(call: Call, type: LinkedType): Promise<Content> {
  const content = await findOr404(call, type);
  // The form shows its name.
  call.allow(content.kind.access.view(call.actor, content.head));
  call.allow(content.kind.access.remove(call.actor, content.head));
  return content;
}

async function show(call: Call, type: DeletedType): Promise<Response> {
  const { site, formToken, request } = call;
  const content = await findRemovable(call, type);
  const { head, bundle } = content;
  return formAnswer(
    deletePage(
      {
        label: open(content).draft.label,
        kind: bundle.label,
        effects: await effectsOf(call, type, content),
        choices: type === 'media' && (
          <Checkbox
            name="with_files"
            label="Delete its files, too"
            help={FILES_HELP}
            checked={parametersOf(request.url).get('with_files') === '1'}
          />
        ),
        action: addressWithin(request),
        token: formToken,
        cancel: entityPath[type](head.id),
      },
      site,
    ),
  );
}

/** Returns what a deletion takes away, and what stays without the content. */
async function effectsOf(call: Call, type: DeletedType, { head }: Content): Promise<string[]> {
  if (type === 'media') return ['All of its revisions are deleted with it.'];
  const counts = await countReferrers(call.api.services.database, type, head.id);
  return [
    'All of its revisions are deleted with it.',
    ...staying(referrers(counts, 'node'), 'item loses', 'items lose', 'the reference to this term.'),
    ...staying(referrers(counts, 'media'), 'media loses', 'media lose', 'the reference to this term.'),
    ...staying(
      referrers(counts, 'taxonomy_term', 'parent'),
      'term below it moves',
      'terms below it move',
      'to the top of the vocabulary.',
    ),
  ];
}

/** Returns the number of entities of a type that refer to content, in any field or in one. */
export function referrers(counts: readonly ReferrerCount[], source: string, field?: string): number {
  return counts
    .filter((each) => each.type === source && (field === undefined || each.field === field))
    .reduce((sum, { count }) => sum + count, 0);
}

/** Returns a sentence about what stays. None for nothing. */
export function staying(count: number, one: string, many: string, end: string): string[] {
  return count === 0 ? [] : [`${countInWords(count, one, many)} ${end}`];
}

async function remove(call: Call, type: DeletedType, withFiles: boolean): Promise<Response> {
  const { api, actor } = call;
  const content = await findRemovable(call, type);
  const { draft, values } = open(content);
  const read = () => findOr404(call, type);
  const check = (current: Content) => call.require(current.kind.access.remove(actor, current.head));
  if (type === 'media' && withFiles)
    await removeWithFiles(api.services, actor, {
      read,
      check: (current, ofFiles) => {
        check(current);
        for (const access of ofFiles) call.require(access);
      },
    });
  else
    await removeContent(api.services, read, (current, uris) => {
      check(current);
      call.require(termUriAccess(actor, uris, api.services.configuredUris));
    });
  const next = type === 'media' ? await filesPageOf(call, values[MEDIA_OF]?.[0]?.target_id) : undefined;
  return seeOther(call, next ?? paths.home, `Deleted “${draft.label}”.`);
}

/** Returns the page of the other files of an item. Undefined for a caller who may not change it. */
async function filesPageOf({ api, actor }: Call, id: unknown): Promise<string | undefined> {
  if (typeof id !== 'number') return undefined;
  const node = await api.content.find('node', id);
  if (node === undefined) return undefined;
  const { kind, head } = node;
  const isOpen = kind.access.view(actor, head).isAllowed && kind.access.update(actor, head).isAllowed;
  return isOpen ? pathOf('nodeFiles', { node: id }) : undefined;
}

/** The help of the field that deletes the files of media. */
export const FILES_HELP =
  'Files that other content uses stay. Without this, files that nothing uses are removed from the storage later.';

/** The form that deletes content. */
export interface DeleteForm {
  /** The name of what is deleted. */
  readonly label: string;
  /** The kind of content: `Repository Item`. */
  readonly kind: string;
  /** Sentences about what is lost, and about what stays. */
  readonly effects: readonly string[];
  readonly problems?: readonly FormProblem[];
  /** The choices of what is deleted with it. */
  readonly choices?: ComponentChildren;
  readonly action: string;
  readonly token: string;
  readonly cancel: string;
}

/** Returns the page of the form that deletes content. */
export function deletePage(form: DeleteForm, site: Site): HtmlPage {
  const { label, kind, effects, problems = [], choices, action, token, cancel } = form;
  const root = siteRoot(site.baseUrl);
  return formPage({
    site,
    heading: `Delete ${label}`,
    errors: problems,
    children: (
      <form method="post" action={root + action}>
        <FormToken token={token} />
        <div class="warning">
          <p>
            <strong>This cannot be undone.</strong> The {kind} “<bdi>{label}</bdi>” is deleted permanently.
          </p>
          <ul>
            {effects.map((effect) => (
              <li key={effect}>{effect}</li>
            ))}
          </ul>
        </div>
        {choices}
        <ActionBar>
          <button class="button danger" type="submit">
            Delete permanently
          </button>
          <a href={root + cancel}>Cancel</a>
        </ActionBar>
      </form>
    ),
  });
}
