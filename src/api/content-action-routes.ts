import { ServiceError } from '../base/errors.ts';
import { entityPath, paths } from '../paths.ts';
import { type Content, open } from '../repository/content/content.ts';
import type { LinkedType } from '../repository/content/kinds.ts';
import { type CoreRight, contentRight } from '../repository/core-right.ts';
import { listRevisions } from '../repository/revisions/revisions.ts';
import type { Action } from '../representation/action.ts';
import { type Answer, actionRoute, deletionOf, MAX_ENTRIES } from './action-page.ts';
import { type Call, parseId } from './call.ts';
import { findOr404 } from './content-routes.ts';
import { bundleOf, describeAction, idOf } from './openapi/describe-actions.ts';
import type { Route } from './routes.ts';

const SHAPES: Readonly<Record<LinkedType, string>> = { node: 'Node', media: 'Media', taxonomy_term: 'TaxonomyTerm' };
const NOUNS: Readonly<Record<LinkedType, string>> = { node: 'node', media: 'media', taxonomy_term: 'term' };
const NAMES: Readonly<Record<LinkedType, string>> = { node: 'Node', media: 'Media', taxonomy_term: 'Term' };
type Addable = Exclude<LinkedType, 'taxonomy_term'>;

const bodyEntry = (call: Call, schema: string) => ({
  label: `Members of the body: ${schema}`,
  href: `${call.baseUrl}${paths.openapiShape.replace(':shape', schema)}`,
});

function labelOf(content: Content): string {
  return open(content).draft.label;
}

function entityEntry({ baseUrl }: Call, content: Content) {
  return { label: labelOf(content), href: baseUrl + entityPath[content.kind.type](content.head.id) };
}

async function findAllowed(call: Call, type: LinkedType, path: string, right: CoreRight): Promise<Content> {
  const content = await findOr404(call, type, path, `entity.${type}.form`);
  // The page shows its name.
  call.allow(content.kind.access.view(call.actor, content.head));
  call.allow(contentRight(call.actor, content.kind, right, content.head));
  return content;
}

function edit(type: LinkedType): Answer {
  return async (call, path) => {
    const content = await findAllowed(call, type, path, 'update');
    return {
      heading: `Edit ${labelOf(content)}`,
      text: `A PATCH changes a ${NOUNS[type]}. Its body names the type, and the fields that change.`,
      commands: [`PATCH ${call.baseUrl}${entityPath[type](content.head.id)}?_format=json`],
      entries: [bodyEntry(call, `${SHAPES[type]}Change`), entityEntry(call, content)],
    };
  };
}

function deletion(type: LinkedType): Answer {
  return async (call, path) => {
    const content = await findAllowed(call, type, path, 'remove');
    return deletionOf(call, `Delete ${labelOf(content)}`, entityPath[type](content.head.id), [
      entityEntry(call, content),
    ]);
  };
}

/** Does the same for content that a query parameter names. */
function deletionOfSeveral(type: Addable): Answer {
  return async (call) => {
    const id = parseId(call.query(type));
    const content = id === undefined ? undefined : await call.api.findContent(type, id);
    if (content === undefined)
      throw new ServiceError('not-found', `The query parameter "${type}" must be the id of a ${NOUNS[type]}.`);
    call.allow(content.kind.access.view(call.actor, content.head));
    call.allow(contentRight(call.actor, content.kind, 'remove', content.head));
    const action = deletionOf(call, `Delete ${NOUNS[type]}s`, entityPath[type](content.head.id), [
      entityEntry(call, content),
    ]);
    return { ...action, text: `${action.text} Each ${NOUNS[type]} takes a request of its own.` };
  };
}

function addition(type: Addable, formPath: string, parameter: string): Answer {
  return async (call) => {
    const { actor, api, baseUrl } = call;
    const { access, bundles } = api.kinds[type];
    call.allow(access.createAny(actor, bundles.keys()));
    const open = [...bundles.values()].filter(({ name }) => access.create(actor, name).isAllowed);
    return {
      heading: `Add a ${NOUNS[type]}`,
      text: 'Choose its type.',
      commands: [],
      entries: open.map(({ name, label }) => ({ label, href: baseUrl + formPath.replace(`:${parameter}`, name) })),
    };
  };
}

function additionOf(type: Addable, createPath: string, parameter: string): Answer {
  return async (call, path) => {
    const { actor, api, baseUrl, params } = call;
    const { access, bundles, bundleMember } = api.kinds[type];
    const bundle = bundles.get(params[parameter] ?? '');
    if (bundle === undefined) throw call.notFound(parameter, path, `${type}.add_form`);
    call.allow(access.create(actor, bundle.name));
    return {
      heading: `Add ${bundle.label}`,
      text: `A POST creates a ${NOUNS[type]}. Its body names the type and holds the fields: "${bundleMember}": [{"target_id": "${bundle.name}"}].`,
      commands: [`POST ${baseUrl}${createPath}?_format=json`],
      entries: [bodyEntry(call, `${SHAPES[type]}Create`)],
    };
  };
}

async function termHistory(call: Call, path: string): Promise<Action> {
  const term = await findAllowed(call, 'taxonomy_term', path, 'viewRevisions');
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

const formsOf = (type: LinkedType, editPath: string | undefined, deletePath: string): Route[] => [
  ...(editPath === undefined
    ? []
    : [
        actionRoute(
          editPath,
          describeAction(`${NAMES[type]}Edit`, `See how a ${NOUNS[type]} is changed`, idOf(type)),
          edit(type),
        ),
      ]),
  actionRoute(
    deletePath,
    describeAction(`${NAMES[type]}Delete`, `See how a ${NOUNS[type]} is deleted`, idOf(type)),
    deletion(type),
  ),
];

const addingOf = (type: Addable, addPath: string, formPath: string, createPath: string, several: string): Route[] => {
  const [name, noun, parameter] = [NAMES[type], NOUNS[type], `${type}_type`];
  return [
    actionRoute(
      addPath,
      describeAction(`${name}Add`, `See which types of ${noun} can be added`),
      addition(type, formPath, parameter),
    ),
    actionRoute(
      formPath,
      describeAction(`${name}AddForm`, `See how a ${noun} is created`, bundleOf(parameter)),
      additionOf(type, createPath, parameter),
    ),
    actionRoute(
      several,
      describeAction(`${name}DeleteSeveral`, `See how several ${noun}s are deleted`, undefined, idOf(type)),
      deletionOfSeveral(type),
    ),
  ];
};

/** Pages at the addresses of core links of content. */
export const contentActionRoutes: readonly Route[] = [
  ...formsOf('node', paths.nodeEdit, paths.nodeDelete),
  ...formsOf('media', undefined, paths.mediaDelete),
  ...formsOf('taxonomy_term', paths.termEdit, paths.termDelete),
  ...addingOf('node', paths.nodeAdd, paths.nodeAddForm, paths.nodes, paths.nodeDeleteSeveral),
  ...addingOf('media', paths.mediaAdd, paths.mediaAddForm, paths.mediaCreate, paths.mediaDeleteSeveral),
  actionRoute(
    paths.termRevisions,
    describeAction('TermRevisions', 'Look through the revisions of a term', idOf('taxonomy_term')),
    termHistory,
  ),
];
