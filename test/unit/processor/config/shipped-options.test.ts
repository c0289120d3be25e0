import { describe, expect, it } from 'bun:test';
import otherTypes from 'mime/types/other.js';
import standardTypes from 'mime/types/standard.js';
import { split } from 'shlex';
import { extensionOf } from '../../../../src/base/media-type.ts';
import { defaultRulesFile } from '../../../../src/jobs/load-rules.ts';
import { requireAllowedOptions } from '../../../../src/processor/config/allowed-options.ts';
import { allCommands, type CommandDefinition } from '../../../../src/processor/config/commands.ts';
import { loadProcessorConfig } from '../../../../src/processor/config/load-config.ts';
import { ARGS } from '../../../../src/processor/config/variables.ts';
import { lookUpType } from '../../../../src/processor/match-command.ts';
import { requireSafeWords } from '../../../../src/processor/read-request.ts';

interface Action {
  source_mimetypes: string[];
  of_members?: object;
  mimetype: string;
  args: string;
}

const config = await loadProcessorConfig({ file: undefined, mayLack: true });

function commandFor(from: string, to: string): CommandDefinition {
  const entry = lookUpType(config.commands, from);
  const command = entry && 'byDestination' in entry ? lookUpType(entry.byDestination, to) : entry;
  if (command === undefined) throw new Error(`nothing makes ${to} of ${from}`);
  return command;
}

/** Checks arguments as the processor does before a command starts. */
function check(from: string, to: string, args: string): void {
  const { allowedOptions } = commandFor(from, to);
  const words = split(args);
  requireSafeWords(words);
  if (allowedOptions !== undefined) requireAllowedOptions(words, allowedOptions);
}

describe('the shipped commands', () => {
  it('limit the options that callers may pass, and have output and memory limits', () => {
    for (const command of allCommands(config)) {
      expect(command.key).toEqual(command.key);
      expect(command.args.includes(ARGS)).toEqual(command.allowedOptions !== undefined);
      expect(command.key).toEqual(command.key);
      expect(typeof command.maxOutputBytes).toBe('number');
      expect(typeof command.maxMemoryBytes).toBe('number');
    }
    const { maxOutputBytes, maxMemoryBytes, timeoutSeconds } = commandFor('image/png', 'application/xml');
    expect({ maxOutputBytes, maxMemoryBytes, timeoutSeconds }).toEqual({
      maxOutputBytes: 16 * 1024 ** 2,
      maxMemoryBytes: 1024 ** 3,
      timeoutSeconds: 60,
    });
  });

  it('accept the arguments of every default rule', () => {
    const { actions } = defaultRulesFile().value as { actions: Record<string, Action> };
    for (const { source_mimetypes, of_members, mimetype, args } of Object.values(actions))
      for (const type of of_members === undefined ? source_mimetypes : ['application/x-tar'])
        expect(() => check(type.replace('/*', '/x').replace(/^\*$/, 'text/plain'), mimetype, args)).not.toThrow();
  });

  // islandora_starter_site and islandora_defaults, system.action.*.yml; Crayfish, homarus and hypercube.
  it.each([
    ['image/tiff', 'image/jpeg', '-thumbnail 100x100'],
    ['image/tiff', 'image/jpeg', '-thumbnail 220x220'],
    ['image/tiff', 'image/jpeg', '-resize 800x800 -quality 80 -strip'],
    ['image/tiff', 'image/jp2', '-define jp2:rate=10 -depth 8'],
    ['application/pdf', 'image/png', '-thumbnail 100x100'],
    ['audio/wav', 'audio/mpeg', '-codec:a libmp3lame -q:a 5'],
    ['video/mp4', 'image/jpeg', '-ss 00:00:01.000 -frames 1 -vf scale=100:-2'],
    ['video/mp4', 'image/jpeg', '-ss 00:00:03.000 -frames 1 -vf scale=100:-2'],
    [
      'video/quicktime',
      'video/mp4',
      '-vcodec libx264 -preset medium -acodec aac -strict -2 -ab 128k -ac 2 -async 1 -movflags faststart',
    ],
    ['image/png', 'text/vnd.hocr+html', '-c tessedit_create_hocr=1 -c hocr_font_info=0'],
    ['image/png', 'text/plain', '-c tessedit_create_hocr=1 -c hocr_font_info=0'],
    ['image/png', 'text/plain', '-l deu --psm 6 --oem 1'],
    ['application/pdf', 'text/plain', '-layout -nopgbrk -f 1 -l 3 -l script/Latin'],
    ['application/x-tar', 'application/pdf', '-l eng --dpi 300'],
  ])('accept the arguments of the original Islandora: %s to %s with %s', (from, to, args) => {
    expect(() => check(from, to, args)).not.toThrow();
  });

  it.each([
    ['image/png', 'image/jpeg', '-write /tmp/x.jpg'],
    ['image/png', 'image/jpeg', '@/etc/passwd'],
    ['image/png', 'image/jpeg', '-resize @/etc/passwd'],
    ['image/png', 'image/jpeg', '/etc/hostname'],
    ['image/png', 'image/jpeg', 'text:/etc/hostname'],
    ['image/png', 'image/jpeg', '-draw msl:/tmp/x'],
    ['image/png', 'image/jpeg', '-profile /etc/passwd'],
    ['image/png', 'image/jpeg', '-comment @/etc/passwd'],
    ['image/png', 'image/jpeg', '-set comment @/etc/passwd'],
    ['image/png', 'image/jpeg', '-define filename:literal=true'],
    ['image/png', 'image/jpeg', '-define registry:temporary-path=/tmp'],
    ['image/png', 'text/plain', '/tmp/base pdf'],
    ['image/png', 'text/plain', '--tessdata-dir /tmp'],
    ['image/png', 'text/plain', '--user-words /etc/passwd'],
    ['image/png', 'text/plain', '-l ../../../tmp/x'],
    ['image/png', 'text/plain', '-c debug_file=/tmp/x'],
    ['image/png', 'text/plain', '-c tessedit_write_images=1'],
    ['application/pdf', 'text/plain', '/etc/passwd'],
    ['application/pdf', 'text/plain', '-l ../x'],
    ['audio/wav', 'audio/mpeg', '-i /etc/passwd'],
    ['audio/wav', 'audio/mpeg', '/tmp/out.mp3'],
    ['audio/wav', 'audio/mpeg', '-f mp3 /tmp/out.mp3'],
    ['audio/wav', 'audio/mpeg', '-protocol_whitelist file'],
    ['audio/wav', 'audio/mpeg', '-af amovie=/etc/passwd'],
    ['video/mp4', 'video/mp4', '-vf movie=/etc/passwd'],
    ['video/mp4', 'video/mp4', '-vf scale=100:-2:movie=x'],
    ['video/mp4', 'video/mp4', '-vf subtitles=/etc/passwd'],
    ['video/mp4', 'video/mp4', '-passlogfile /tmp/x'],
    ['video/mp4', 'video/mp4', '-report'],
    ['video/mp4', 'video/mp4', '-progress file:/tmp/x'],
    ['video/mp4', 'image/jpeg', '-vstats_file /tmp/x'],
    ['video/mp4', 'image/jpeg', '-filter_complex_script /etc/passwd'],
    ['video/mp4', 'image/jpeg', '-attach /etc/passwd'],
    ['video/mp4', 'image/jpeg', '-dump_attachment:t /tmp/x'],
    ['application/x-tar', 'application/pdf', 'config-file'],
  ])('refuse arguments that read or write files: %s to %s with %s', (from, to, args) => {
    expect(() => check(from, to, args)).toThrow(/./);
  });
});

/** Coders of ImageMagick that open other files or addresses, run programs or draw what a script says. */
const CODERS = new Set(
  (
    'caption clip clipboard ephemeral eps eps2 eps3 epi epsf epsi ept ept2 ept3 fd file ftp gradient html htm http ' +
    'https inline info json label magick map mask matte mpr mpri msl msvg mvg null pango pattern pdf pdfa plasma ' +
    'ps ps2 ps3 rsvg scan screenshot shtml show stegano svg svgz text tile txt url vid video win x xc yaml'
  ).split(' '),
);

it('an image type never has the extension of a dangerous ImageMagick coder', () => {
  const types = [...Object.keys(standardTypes), ...Object.keys(otherTypes)].filter((type) => type.startsWith('image/'));
  expect(types.length).toBeGreaterThan(50);
  // The entry of SVG has no command for images.
  expect(() => commandFor('image/svg+xml', 'image/png')).toThrow('nothing makes');
  for (const type of types.filter((each) => each !== 'image/svg+xml'))
    expect({ type, isCoder: CODERS.has(extensionOf(type) ?? '') }).toEqual({ type, isCoder: false });
});
