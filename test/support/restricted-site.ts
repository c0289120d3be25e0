import { setSystemTime } from 'bun:test';
import type { JsonObject } from '../../src/base/json.ts';
import { DEFAULT_SERVER_CONFIG } from '../../src/config/server-config.ts';
import { pngHead } from './binaries.ts';
import { hocrOf } from './searched-book.ts';
import { MODEL, USE } from './site-builder.ts';
import { createTestRepository, type TestRepository } from './test-repository.ts';
import { until } from './until.ts';

/** A day on which some rules begin and others end, the moment before it, and the one after. */
const DAY = '2031-05-02';
export const MOMENTS = { before: '2031-05-01T23:59:58Z', after: '2031-05-02T00:00:00Z' } as const;
export type Moment = keyof typeof MOMENTS;

export const CALLERS = ['anonymous', 'campus', 'reader', 'member', 'named', 'owner', 'editor', 'admin'] as const;
export type RuleCaller = (typeof CALLERS)[number];

/** What a caller gets of an item: nothing, its description with the files that stay open, or all of it. */
export type Share = 'nothing' | 'description' | 'all';
const EXEMPT: readonly RuleCaller[] = ['owner', 'editor', 'admin'];

/** An item with a rule, and the callers and moments to whom it is open. */
interface RestrictedCase {
  readonly level: Exclude<Share, 'all'>;
  readonly rule?: JsonObject;
  /** The rule of a parent of the item. */
  readonly above?: JsonObject;
  readonly letsIn?: readonly RuleCaller[];
  readonly closedAt?: readonly Moment[];
  /** True if the service file stays open. */
  readonly isServiceOpen?: boolean;
}

const closed = { preset: 'closed' };
/** An address within the network campus. */
const CAMPUS = '192.0.2.7';
const NO_LIMITS = { ...DEFAULT_SERVER_CONFIG.robots, networkBudget: 1_000, totalBudget: 1_000 };
const BROKEN = 'To be broken';
export const CASES: Readonly<Record<string, RestrictedCase>> = {
  amaranth: { level: 'nothing', closedAt: [] },
  bergamot: { level: 'nothing', rule: closed },
  cinnabar: { level: 'nothing', above: closed },
  dandelion: { level: 'nothing', above: closed },
  elderberry: { level: 'description', rule: { preset: 'only_description' } },
  fuchsia: {
    ...{ level: 'description', isServiceOpen: true },
    rule: { level: 'files_closed', open_uses: [USE.thumbnail, USE.service] },
  },
  gardenia: { level: 'nothing', rule: { level: 'closed', from: DAY }, closedAt: ['after'] },
  hyacinth: { level: 'description', rule: { preset: 'embargo', until: DAY }, closedAt: ['before'] },
  juniper: { level: 'nothing', rule: { level: 'closed', networks: ['campus'] }, letsIn: ['campus'] },
  kumquat: { level: 'nothing', rule: { level: 'closed', roles: ['content_editor'] }, letsIn: ['member'] },
  lavender: { level: 'description', rule: { level: 'files_closed' }, letsIn: ['named'] },
  mandrake: { level: 'nothing', letsIn: ['member'] },
  nasturtium: { level: 'nothing', above: closed, rule: { preset: 'open' }, closedAt: [] },
  oleander: { level: 'nothing', rule: { ...closed, reason: BROKEN } },
};

/** Returns what a caller gets of an item at a moment. */
export function shareOf(name: string, caller: RuleCaller, moment: Moment): Share {
  const { level, letsIn = [], closedAt = ['before', 'after'] } = CASES[name] as RestrictedCase;
  return EXEMPT.includes(caller) || letsIn.includes(caller) || !closedAt.includes(moment) ? 'all' : level;
}

/** Words that each occur in one part of one item; without the hyphen that keeps them out of each other. */
export const PARTS = ['title', 'description', 'text', 'original', 'service', 'thumbnail', 'texts'] as const;
export type Part = (typeof PARTS)[number];
const ENDINGS: Readonly<Record<Part, string>> = {
  ...{ title: 'ovska', description: 'umbrel', text: 'ithwen', original: 'azkor', service: 'ezmir', thumbnail: 'unqat' },
  texts: 'olwyn',
};
export const wordOf = (name: string, part: Part): string => `${name}${ENDINGS[part]}`;

/** Returns true if a caller may see the word of a part. */
export function maySee(name: string, part: Part, caller: RuleCaller, moment: Moment): boolean {
  const share = shareOf(name, caller, moment);
  if (share !== 'description') return share === 'all';
  const isOpenUse = part === 'thumbnail' || (part === 'service' && CASES[name]?.isServiceOpen === true);
  return part === 'title' || part === 'description' || isOpenUse;
}

/** A file of an item. */
interface StoredPart {
  readonly media: number;
  readonly uuid: string;
  readonly file: number;
  readonly path: string;
}
export interface RestrictedItem {
  readonly nid: number;
  /** A member of the item with a rule of its own, open. */
  readonly child: number;
  readonly subject: number;
  readonly revision: number;
  readonly files: Readonly<Record<'original' | 'service' | 'thumbnail' | 'texts', StoredPart>>;
}

export interface RestrictedSite {
  readonly repository: TestRepository;
  /** What all items are members of. */
  readonly container: number;
  readonly owner: number;
  readonly items: ReadonlyMap<string, RestrictedItem>;
  ask(path: string, caller: RuleCaller, init?: RequestInit): Promise<Response>;
  stop(): Promise<void>;
}

/** Creates a site with an item for each case: images of a collection, or pages of a book. */
export async function createRestrictedSite(model: 'image' | 'page'): Promise<RestrictedSite> {
  setSystemTime(new Date(MOMENTS.before));
  const networks = new Map([['campus', ['192.0.2.0/24']]]);
  const repository = await createTestRepository({ trustedProxies: ['127.0.0.1'], networks, robots: NO_LIMITS });
  const { build } = repository;
  const owner = await repository.user('owner', 'workbench_user');
  const named = await repository.user('named');
  await repository.user('reader');
  await repository.user('member', 'content_editor');
  await repository.user('editor', 'repository_editor');
  const container = await build.node(model === 'page' ? 'book' : 'collection', 'The whole');
  const term = await build.term('islandora_access', 'Members alone', {
    field_access_level: ['closed'],
    field_access_roles: [{ target_id: 'content_editor' }],
  });
  const field_model = [await build.termId(MODEL[model])];

  async function store(nid: number, name: string, part: keyof RestrictedItem['files']): Promise<StoredPart> {
    const isText = part === 'texts';
    const media = await build.media(nid, {
      use: isText ? 'hocr' : part,
      name: `${wordOf(name, part)}.${isText ? 'hocr' : 'png'}`,
      bytes: isText ? hocrOf(`allwords ${wordOf(name, 'text')}`) : pngHead(500, 1000),
    });
    const [{ target_id: file, url }] = media[isText ? 'field_media_file' : 'field_media_image'];
    return { media: media.mid[0].value, uuid: media.uuid[0].value, file, path: new URL(url).pathname };
  }

  async function make(name: string, at: number): Promise<RestrictedItem> {
    const { rule, above } = CASES[name] as RestrictedCase;
    const parent =
      above && (await build.item({ title: ['A part'], field_member_of: [container], access_rule: [above] }));
    // Of the two items below a closed part, one is also below the open whole.
    const parents = name === 'cinnabar' ? [] : [container];
    const subject = await build.term('subject', `Subject of ${name}`);
    const usual = {
      title: [`allwords ${wordOf(name, 'title')}`],
      field_description: [`allwords ${wordOf(name, 'description')}`],
      ...{ field_model, field_subject: [subject], field_weight: [at] },
      field_member_of: [...parents, ...(parent === undefined ? [] : [parent.nid[0].value])],
      ...(name === 'mandrake' && { field_access_terms: [term] }),
    };
    const own = name === 'lavender' ? { ...rule, users: [named] } : rule;
    const { nid, vid } = await build.item({ ...usual, uid: [owner] });
    const id = nid[0].value;
    await build.change(`/node/${id}`, { type: 'islandora_object', ...(own && { access_rule: [own] }) });
    const child = await build.item({ title: ['A leaf'], field_member_of: [id], access_rule: [{ preset: 'open' }] });
    const files = {
      original: await store(id, name, 'original'),
      service: await store(id, name, 'service'),
      thumbnail: await store(id, name, 'thumbnail'),
      texts: await store(id, name, 'texts'),
    };
    return { nid: id, child: child.nid[0].value, subject, revision: vid[0].value, files };
  }

  const items = new Map<string, RestrictedItem>();
  for (const [at, name] of Object.keys(CASES).entries()) items.set(name, await make(name, at + 1));
  await breakRule(repository);
  const site: RestrictedSite = {
    ...{ repository, container, owner, items },
    ask(path, caller, { headers, ...init } = {}) {
      const all = new Headers(headers);
      if (caller === 'campus') all.set('X-Forwarded-For', CAMPUS);
      const as = caller === 'anonymous' || caller === 'campus' ? undefined : caller;
      return repository.fetch(path, { ...init, headers: all, ...(as && { as }) });
    },
    async stop() {
      setSystemTime();
      await repository.stop();
    },
  };
  const last = wordOf('oleander', 'text');
  await until(async () =>
    (await (await site.ask(`/search?q=${last}&_format=json`, 'admin')).text()).includes('oleander'),
  );
  return site;
}

/** Makes a rule one that no program has written. */
async function breakRule({ running }: TestRepository): Promise<void> {
  const { database } = running.services;
  await database.write([
    { sql: `UPDATE access_rule SET rule = '{"level":' WHERE rule LIKE '%${BROKEN}%'`, args: [] },
    // Whoever changes rules counts it.
    { sql: 'UPDATE generation SET value = value + 1, access = access + 1', args: [] },
  ]);
}
