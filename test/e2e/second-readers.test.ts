import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { type DerivativeService, startDerivativeService } from '../support/derivatives.ts';
import { emptyFolder } from '../support/empty-folder.ts';
import { run } from '../support/fixtures.ts';
import { pdfWithText } from '../support/hand-written-pdf.ts';

const DOCX = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';

let service: DerivativeService;
/** A service whose first readers cannot read anything. */
let without: DerivativeService;
beforeAll(async () => {
  const bin = await emptyFolder();
  for (const name of ['pdftoppm', 'pandoc']) {
    await Bun.write(join(bin, name), '#!/bin/sh\necho "it cannot be read" >&2\nexit 1\n');
    await chmod(join(bin, name), 0o755);
  }
  [service, without] = await Promise.all([
    startDerivativeService(),
    startDerivativeService({ PATH: `${bin}:${process.env.PATH}` }),
  ]);
});
afterAll(() => Promise.all([service.stop(), without.stop()]));

const sizeOf = (image: Uint8Array<ArrayBuffer>) => run(['convert', '-', '-format', '%m %w %h', 'info:'], image);
const pdf = pdfWithText('Harbour lights');

describe('what the first program cannot read', () => {
  it.each([
    ['the thumbnail of a PDF', { to: 'image/png', args: '-thumbnail 400x400' }, 'PNG 400 267'],
    [
      'a page of a PDF for viewers',
      { to: 'application/vnd.repo.image', args: '--size 300:200 --format jpg' },
      'JPEG 300 200',
    ],
  ])('is read by a second one: %s', async (_, { to, args }, size) => {
    for (const each of [service, without]) {
      const response = await each.post(pdf, { from: 'application/pdf', to, args });
      expect(response.status).toBe(200);
      expect(await sizeOf(new Uint8Array(await response.arrayBuffer()))).toBe(size);
    }
  });

  it('is read by a second one: the text of an office document', async () => {
    const words = new Uint8Array(Buffer.from('Dear **reader**, yours.'));
    await run(['pandoc', '-f', 'markdown', '-o', service.fixtures.path('letter.docx')], words);
    const letter = await service.fixtures.read('letter.docx');
    for (const each of [service, without]) {
      const text = await each.make(letter, { from: DOCX, to: 'text/plain' });
      expect(Buffer.from(text).toString().trim()).toBe('Dear reader, yours.');
    }
  });
});
