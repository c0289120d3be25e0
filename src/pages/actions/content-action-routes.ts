import { ServiceError } from '../../base/errors.ts';
import { entityPath, paths } from '../../paths.ts';
import type { LinkedType } from '../../repository/access-rule.ts';
import { type Content, open } from '../../repository/content/content.ts';
import { type CoreRight, contentRight } from '../../repository/core-right.ts';
import { listRevisions } from '../../repository/revisions/revisions.ts';
import type { ApiServices } from '../../web/api-services.ts';
import { type Call, parseId } from '../../web/call.ts';
import { resource } from '../../web/check.ts';
import { findOr404 } from '../../web/find-content-or-404.ts';
import { PAGE_FORMATS } from '../../web/formats.ts';
import { parameter, queryOf } from '../../web/parameters.ts';
import { answerConfirm } from '../manage/bulk-confirm-routes.ts';
import type { Action } from './action-page.tsx';
import { type Answer, addAction, idOf, MAX_ENTRIES } from './action-page.tsx';

const NOUNS: Readonly<Record<LinkedType, string>> = { node: 'node', media: 'media', taxonomy_term: 'term' };

type AddableType = Exclude<LinkedType, 'taxonomy_term'>;

function labelOf(content: Content): string {
  return open(content).draft.label;
}

function entityEntry({ baseUrl }: Call, content: Content) {
  return { label: labelOf(content), href: baseUrl + entityPath[content.kind.type](content.head.id) };
}

async function findAllowed(call: Call, type: LinkedType, right: CoreRight): Promise<Content> {
  const content = await findOr404(call, type);
  // The page shows the label.
  call.allow(content.kind.access.view(call.actor, content.head));
  call.allow(contentRight(call.actor, content.kind, right, content.head));
  return content;
}

/** Answers with the page on which the deletion of the content that a query parameter names is confirmed. */
async function answerDeletion(call: Call, type: AddableType, id: string): Promise<Response> {
  const content = await call.api.findContent(type, Number(id));
  if (content === undefined) throw idNeeded(type);
  call.allow(content.kind.access.view(call.actor, content.head));
  call.allow(contentRight(call.actor, content.kind, 'remove', content.head));
  return answerConfirm(call, { kind: type, action: 'delete', entries: [content.head.id], source: undefined });
}

function addition(type: AddableType, formPath: string, parameter: string): Answer {
  return async (call) => {
    const { actor, api, baseUrl } = call;
    const { access, bundles } = api.kinds[type];
    call.allow(access.createAny(actor.anywhere(), bundles.keys()));
    const open = [...bundles.values()].filter(({ name }) => access.create(actor.anywhere(), name).isAllowed);
    return {
      heading: `Add a ${NOUNS[type]}`,
      text: 'Choose its type.',
      commands: [],
      entries: open.map(({ name, label }) => ({ label, href: baseUrl + formPath.replace(`:${parameter}`, name) })),
    };
  };
}

async function termHistory(call: Call): Promise<Action> {
  const term = await findAllowed(call, 'taxonomy_term', 'viewRevisions');
  const page = { limit: MAX_ENTRIES, offset: 0 };
  const revisions = await listRevisions(call.api.services, term.kind, term.head.id, page);
  return {
    heading: `Revisions of ${labelOf(term)}`,
    text: `The newest revisions, at most ${MAX_ENTRIES}.`,
    commands: [],
    entries: [
      ...revisions.map(({ id, created, log }) => ({
        label: [`${id}: ${new Date(created * 1_000).toISOString()}`, log ?? ''].join(' ').trim(),
      })),
      entityEntry(call, term),
    ],
  };
}

function idNeeded(type: AddableType): ServiceError {
  return new ServiceError('not-found', `The query parameter "${type}" must be the id of a ${NOUNS[type]}.`);
}

/** Routes of the pages of core links of content. */
export function contentActionRoutes(api: ApiServices) {
  const app = resource(api);

  function addAdding(type: AddableType, { add, form, several }: AddingPaths): void {
    const [noun, parameterName] = [NOUNS[type], `${type}_type`];
    const namedId = parameter(
      { type: 'integer', minimum: 1, description: `The id of the ${noun}.` },
      (text) => parseId(text) !== undefined,
      () => idNeeded(type),
    );
    addAction(app, add, addition(type, form, parameterName));
    app.get(several, ({ call, query }) => answerDeletion(call, type, query[type] ?? ''), {
      check: { formats: PAGE_FORMATS },
      query: queryOf({ [type]: namedId }),
    });
  }

  addAdding('node', {
    add: paths.nodeAdd,
    form: paths.nodeAddForm,
    several: paths.nodeDeleteSeveral,
  });
  addAdding('media', {
    add: paths.mediaAdd,
    form: paths.mediaAddForm,
    several: paths.mediaDeleteSeveral,
  });
  addAction(app, paths.termRevisions, termHistory, idOf('taxonomy_term'));
  return app;
}

type AddingPaths = Readonly<Record<'add' | 'form' | 'several', string>>;
