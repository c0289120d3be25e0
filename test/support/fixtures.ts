import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { emptyFolder } from './empty-folder.ts';
import { pdfWithText } from './hand-written-pdf.ts';

/** Small real files, made by the very tools that will process them, in a folder of their own. */
export interface Fixtures {
  path(name: string): string;
  read(name: string): Promise<Uint8Array<ArrayBuffer>>;
  remove(): Promise<void>;
}

export const SPOKEN_TEXT = 'Hello Archive 42';

const FONT = ['-font', 'DejaVu-Sans'];
const FFMPEG = ['ffmpeg', '-y', '-hide_banner', '-loglevel', 'error', '-nostdin', '-f', 'lavfi'];
const TEST_PICTURE = ['-i', 'testsrc=duration=2:size=320x240:rate=10', '-f', 'lavfi', '-i', 'sine=duration=2'];
const AS_MP4 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-c:a', 'aac'];

/** The commands that create each file, without its path as the last argument. */
const RECIPES: Record<string, string[]> = {
  'plasma.png': ['convert', '-size', '400x200', '-seed', '7', 'plasma:red-blue'],
  'plasma.jpg': ['convert', '-size', '400x200', '-seed', '7', 'plasma:red-blue'],
  'glass.png': ['convert', '-size', '40x40', 'xc:none'],
  'words.png': [
    'convert',
    '-size',
    '600x120',
    ...FONT,
    '-pointsize',
    '48',
    'xc:white',
    '-annotate',
    '+20+70',
    SPOKEN_TEXT,
  ],
  'pages.tif': [
    'convert',
    ...FONT,
    '-pointsize',
    '48',
    'label:First page',
    'label:Second page',
    '-bordercolor',
    'white',
    '-border',
    '40',
  ],
  'tone.wav': [...FFMPEG, '-i', 'sine=duration=2'],
  'tone.m4a': [...FFMPEG, '-i', 'sine=duration=2', '-c:a', 'aac'],
  'clip.mp4': [...FFMPEG, ...TEST_PICTURE, ...AS_MP4, '-movflags', '+faststart'],
  // Long enough that its index, at the end, is beyond what ffmpeg reads ahead from a pipe.
  'index-at-end.mov': [...FFMPEG, '-i', 'testsrc2=duration=20:size=640x480:rate=25', ...AS_MP4, '-b:v', '4M'],
};

/** Makes every fixture. Throws what a tool says if it fails. */
export async function createFixtures(): Promise<Fixtures> {
  const folder = await emptyFolder();
  const path = (name: string) => join(folder, name);
  await Promise.all(Object.entries(RECIPES).map(([name, [...command]]) => run([...command, path(name)])));
  await Bun.write(path('hello.pdf'), pdfWithText('Hello PDF 42'));
  return {
    path,
    read: async (name) => new Uint8Array(await Bun.file(path(name)).arrayBuffer()),
    remove: () => rm(folder, { recursive: true }),
  };
}

/** Runs a program with `input` on its standard input and answers its output. Throws if it fails. */
export async function run(command: string[], input: Uint8Array = new Uint8Array()): Promise<string> {
  const child = Bun.spawn(command, { stdin: input, stdout: 'pipe', stderr: 'pipe' });
  const [output, errors, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  if (code !== 0) throw new Error(`${command.join(' ')} exited with ${code}: ${errors}`);
  return output.trim();
}
