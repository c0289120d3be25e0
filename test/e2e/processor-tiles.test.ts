import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { type DerivativeService, startDerivativeService } from '../support/derivatives.ts';
import { emptyFolder } from '../support/empty-folder.ts';
import { run } from '../support/fixtures.ts';

/** A service whose vips cannot convert colours. */
let service: DerivativeService;
beforeAll(async () => {
  const bin = await emptyFolder();
  const vips = join(bin, 'vips');
  const real = (await run(['sh', '-c', 'command -v vips'])).trim();
  const script = `#!/bin/sh\ncase $1 in colourspace | icc_transform) echo "no colours" >&2; exit 1 ;; esac\nexec ${real} "$@"\n`;
  await Bun.write(vips, script);
  await chmod(vips, 0o755);
  service = await startDerivativeService({ PATH: `${bin}:${process.env.PATH}` });
});
afterAll(() => service.stop());

describe('the tiles of a picture in the colours of the screen', () => {
  it.each([
    ['PNG', 'image/png', 'png:-', []],
    ['grey JPEG', 'image/jpeg', 'jpg:-', ['-colorspace', 'Gray']],
    ['TIFF of 16 bits', 'image/tiff', 'tif:-', ['-depth', '16']],
  ])('are made without a converted copy: %s', async (_, from, output, options) => {
    const drawn = Bun.spawnSync(['convert', '-size', '600x400', 'gradient:red-blue', ...options, '-strip', output]);
    const picture = new Uint8Array(drawn.stdout);
    const response = await service.post(picture, { from, to: 'application/zip', args: '' });
    expect([response.status, (await response.bytes()).subarray(0, 2)]).toEqual([200, new Uint8Array([0x50, 0x4b])]);
  });
});
