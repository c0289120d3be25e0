import { readFile } from 'node:fs/promises';
import { MODEL, USE } from '../site-builder.ts';
import { ADMIN_PASSWORD, createTestRepository, type TestRepository } from '../test-repository.ts';
import { newMedia } from './media.ts';
import { type Facts, replay } from './sequence.ts';
import { Workbench } from './workbench.ts';

/** The user who runs Workbench, and the options that change its requests. */
export interface Profile {
  readonly name: string;
  readonly user: 'admin' | 'loader';
  readonly standaloneMediaUrl: boolean;
  readonly useWorkbenchPermissions: boolean;
}

/** Either user with either form of what has two. */
export const PROFILES: readonly Profile[] = [
  { name: 'an administrator', user: 'admin', standaloneMediaUrl: false, useWorkbenchPermissions: false },
  { name: 'a workbench_user', user: 'loader', standaloneMediaUrl: false, useWorkbenchPermissions: false },
  {
    name: 'an administrator with standalone media and node_actions',
    user: 'admin',
    standaloneMediaUrl: true,
    useWorkbenchPermissions: true,
  },
  {
    name: 'a workbench_user with standalone media and node_actions',
    user: 'loader',
    standaloneMediaUrl: true,
    useWorkbenchPermissions: true,
  },
];

/** Either user, with one form each: for tasks that ask nothing else in the other form than what all of them begin with. */
export const USERS: readonly Profile[] = [PROFILES[0] as Profile, PROFILES[3] as Profile];

/** A repository that is loaded into. */
export interface LoadingSite {
  readonly repository: TestRepository;
  /** A run of Workbench: nothing is remembered from the one before. */
  run(profile: Profile): Workbench;
  /** Creates an item of this user's, outside of what is replayed. Returns its number. */
  item(profile: Profile, fields?: object): Promise<number>;
  /** Gives an item a media as an earlier run of Workbench would have. Returns the numbers of media and file. */
  media(profile: Profile, nid: number, type: string, file: string, fields?: object): Promise<MadeMedia>;
  term(vocabulary: string, name: string, fields?: object): Promise<number>;
  /** Returns the JSON of a path for the administrator. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into JSON of any schema
  look(path: string): Promise<any>;
  stop(): Promise<void>;
}

export interface MadeMedia {
  readonly mid: number;
  readonly fid: number;
}

const PICTURE = new URL('../../fixtures/images/red.png', import.meta.url).pathname;

/** Bytes that pass for a file of a name. */
export async function bytesFor(file: string): Promise<Uint8Array> {
  if (file.endsWith('.png')) return new Uint8Array(await readFile(PICTURE));
  return new TextEncoder().encode(`${file.endsWith('.vtt') ? 'WEBVTT ' : ''}Bytes of ${file}\n`);
}

/** Starts a repository, with an account `loader` of the role that ships for Workbench. `model` overrides the default one. */
export async function createLoadingSite(model?: string): Promise<LoadingSite> {
  const repository = await createTestRepository({}, model === undefined ? {} : { model });
  await repository.user('loader', 'workbench_user');
  const site: LoadingSite = {
    repository,
    run: ({ user, standaloneMediaUrl, useWorkbenchPermissions }) =>
      new Workbench({
        host: repository.url,
        username: user,
        password: user === 'admin' ? ADMIN_PASSWORD : user,
        standaloneMediaUrl,
        useWorkbenchPermissions,
      }),
    item: async ({ user }, fields = {}) => (await repository.node({ ...fields }, user)).nid[0].value,
    async media(profile, nid, type, file, fields = {}) {
      const made = await replay(
        site.run(profile),
        [newMedia({ node: 'nid', type, file, bytes: await bytesFor(file), fields })],
        { nid },
      );
      const media = await site.look(`/node/${nid}/media?_format=json`);
      return { mid: media.at(-1).mid[0].value, fid: made.fid as number };
    },
    term: repository.build.term,
    look: (path) => repository.build.json(path, 'admin'),
    async stop() {
      const failures = repository.failures();
      await repository.stop();
      if (failures.length > 0) throw new Error(`the server failed: ${JSON.stringify(failures)}`);
    },
  };
  return site;
}

/** Facts of default terms that tables name by number. */
export async function defaultTerms(repository: TestRepository): Promise<Facts> {
  return {
    image: await repository.termId(MODEL.image),
    paged: await repository.termId(MODEL.book),
    page: await repository.termId(MODEL.page),
    original: await repository.termId(USE.original),
    service: await repository.termId(USE.service),
  };
}
