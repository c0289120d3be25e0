import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEFAULT_SERVER_CONFIG, type RepositoryConfig } from '../../src/config/server-config.ts';
import { settled } from './derivative-site.ts';
import { run } from './fixtures.ts';
import { createTestRepository, type EntityJson, type TestRepository } from './test-repository.ts';

/** A repository that makes tiles with the programs of this machine, and a folder for images. */
export interface ImageSite {
  readonly repository: TestRepository;
  /** Makes an image with a program of this machine; `FILE` in the arguments is its path. */
  make(name: string, command: readonly string[]): Promise<string>;
  /** Uploads an original, waits for its derivatives unless `isQuick`, and returns its media. */
  upload(
    path: string,
    type: string,
    options?: { bundle?: string; node?: EntityJson; isQuick?: boolean },
  ): Promise<EntityJson>;
  /** Requests the image of a media: `info.json`, `full/max/0/default.jpg`. */
  ask(media: EntityJson, request: string, init?: Parameters<TestRepository['fetch']>[1]): Promise<Response>;
  stop(): Promise<void>;
}

interface SiteOptions extends Partial<RepositoryConfig> {
  /** The text of a processor configuration; default: the built-in one; null: no processor. */
  readonly commands?: string | null;
  /** The text of derivative rules; default: none of its own. */
  readonly rules?: string;
}

export async function startImageSite({ commands, rules = '', ...overrides }: SiteOptions = {}): Promise<ImageSite> {
  const folder = await mkdtemp(join(tmpdir(), 'repo-images-'));
  const rulesFile = join(folder, 'rules.yaml');
  await writeFile(rulesFile, rules);
  const file = typeof commands === 'string' ? join(folder, 'processor.yaml') : undefined;
  if (file !== undefined) await writeFile(file, commands as string);
  const repository = await createTestRepository(
    { derivatives: { ...DEFAULT_SERVER_CONFIG.derivatives, rulesFile }, ...overrides },
    commands === null ? {} : { processor: { file, port: undefined, host: undefined } },
  );
  let number = 0;
  return {
    repository,
    async make(name, command) {
      const path = join(folder, name);
      await run(command.map((word) => (word === 'FILE' ? path : word)));
      return path;
    },
    async upload(path, mimeType, { bundle = 'image', node, isQuick = false } = {}) {
      number += 1;
      const of = node ?? (await repository.node());
      const media = await repository.build.media(of.nid[0].value, {
        uri: `public://${number}-${path.split('/').at(-1)}`,
        bytes: await Bun.file(path).bytes(),
        media: bundle,
        mimeType,
      });
      if (!isQuick) await settled(repository, of);
      return media;
    },
    ask: (media, request, init) => repository.fetch(`/iiif/3/${media.uuid[0].value}/${request}`, init),
    async stop() {
      await repository.stop();
      await rm(folder, { recursive: true });
    },
  };
}

/** Returns format, width and height of an image, as ImageMagick reads them: `JPEG 500 375`. */
export async function identified(response: Response): Promise<string> {
  return pictured(response, '%m %w %h');
}

/** Returns properties of an image in the form of `identify -format`. */
export async function pictured(response: Response, format: string): Promise<string> {
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
  const child = Bun.spawn(['convert', '-', '-format', format, 'info:'], {
    stdin: await response.blob(),
    stderr: 'inherit',
  });
  return (await new Response(child.stdout).text()).trim();
}
