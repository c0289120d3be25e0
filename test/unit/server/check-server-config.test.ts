import { describe, expect, it } from 'bun:test';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { checkServerConfig } from '../../../src/server/check-server-config.ts';
import { emptyFolder } from '../../support/empty-folder.ts';

const folder = await emptyFolder();

/** Writes a server configuration that names a file of rules, and answers the paths of both. */
async function withRules(name: string, text: string): Promise<{ config: string; rules: string }> {
  const rules = join(folder, `${name}-rules.yaml`);
  const config = join(folder, `${name}.yaml`);
  await writeFile(rules, text);
  await writeFile(config, `derivatives: { rules: ${rules} }\n`);
  return { config, rules };
}

describe('the check of a server configuration', () => {
  it('summarises the default model and rules', async () => {
    const { facts } = await checkServerConfig(undefined, new Map(), false);
    expect(facts).toEqual([
      'content model: 3 node types, 8 media types, 19 vocabularies, 7 roles',
      '14 derivative actions in 8 contexts',
    ]);
  });

  it('reads the configured rules', async () => {
    const removed = [
      'audio_original_file',
      'image_original_file',
      'image_tiles',
      'office_document_original_file',
      'pages',
      'pdf_original_file',
      'video_original_file',
    ];
    const { config } = await withRules('few', `contexts: { ${removed.map((name) => `${name}: null`).join(', ')} }\n`);
    expect((await checkServerConfig(config, new Map(), false)).facts[1]).toBe('14 derivative actions in 1 context');
  });

  it('accepts rules with a scheme of this server', async () => {
    const { config } = await withRules('scheme', 'actions: { get_ocr_from_image: { scheme: archive } }\n');
    await writeFile(
      join(folder, 'archive.yaml'),
      `${await Bun.file(config).text()}schemes: { archive: { folder: a } }\n`,
    );
    expect((await checkServerConfig(join(folder, 'archive.yaml'), new Map(), false)).facts).toHaveLength(2);
    await expect(checkServerConfig(config, new Map(), false)).rejects.toThrow('there is no scheme "archive"');
  });

  it('reports settings without effect', async () => {
    const config = join(folder, 'obsolete.yaml');
    await writeFile(config, 'schemes: { public: { folder: a, access: public } }\n');
    expect((await checkServerConfig(config, new Map(), false)).facts).toContain(
      'schemes.public.access has no effect: a file is read by those who may view what refers to it',
    );
  });

  it('reports invalid rules with file and line', async () => {
    const { config, rules } = await withRules('bad', 'actions:\n  get_ocr_from_image: { timeout: soon }\n');
    await expect(checkServerConfig(config, new Map(), false)).rejects.toThrow(
      `${rules}:2: actions.get_ocr_from_image.timeout must be a number of seconds, more than 0 and at most 86400, found "soon"`,
    );
  });
});
