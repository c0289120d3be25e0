import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { join } from 'node:path';
import { type DerivativeService, startDerivativeService } from '../support/derivatives.ts';
import { run } from '../support/fixtures.ts';
import { until } from '../support/until.ts';

let service: DerivativeService;
beforeAll(async () => {
  service = await startDerivativeService();
});
afterAll(() => service.stop());

const identify = (image: Uint8Array) => run(['identify', '-format', '%m %w %h', '-'], image);

/** The codecs of a file, and the seconds it lasts when it is played to its end. */
async function play(media: Uint8Array): Promise<{ codecs: string[]; pixels: string[]; seconds: number }> {
  const file = service.fixtures.path(`made-${Bun.randomUUIDv7()}`);
  await Bun.write(file, media);
  const probed = await run([
    'ffprobe',
    '-v',
    'error',
    '-show_entries',
    'stream=codec_name,pix_fmt',
    '-of',
    'json',
    file,
  ]);
  const { streams } = JSON.parse(probed) as { streams: { codec_name: string; pix_fmt?: string }[] };
  const played = await run(['ffmpeg', '-v', 'error', '-nostdin', '-i', file, '-f', 'null', '-progress', 'pipe:1', '-']);
  const microseconds = Number(played.match(/out_time_us=(\d+)(?![\s\S]*out_time_us)/)?.[1]);
  return {
    codecs: streams.map((stream) => stream.codec_name),
    pixels: streams.flatMap((stream) => stream.pix_fmt ?? []),
    seconds: Math.round(microseconds / 1e6),
  };
}

/** Counts the interlaced frames of a video. */
async function combedFrames(file: string): Promise<number> {
  const judge = ['-vf', 'idet,metadata=print:key=lavfi.idet.multiple.current_frame:file=-', '-f', 'null', '-'];
  const judged = await run(['ffmpeg', '-v', 'error', '-nostdin', '-i', file, ...judge]);
  return judged.match(/=(tff|bff)$/gm)?.length ?? 0;
}

describe('a recording', () => {
  it('becomes an MP3 with the options in X-Repo-Args', async () => {
    const args = '-codec:a libmp3lame -q:a 5';
    const made = await service.make('tone.wav', { from: 'audio/x-wav', to: 'audio/mpeg', args });
    expect(await play(made)).toMatchObject({ codecs: ['mp3'], seconds: 2 });
  });

  it.each([
    ['audio/mpeg', 'mp3'],
    ['audio/ogg', 'vorbis'],
    ['audio/wav', 'pcm_s16le'],
    ['audio/flac', 'flac'],
  ])('becomes %s without X-Repo-Args', async (to, codec) => {
    for (const [file, from] of [
      ['tone.wav', 'audio/wav'],
      ['tone.m4a', 'audio/mp4'],
    ] as const) {
      expect(await play(await service.make(file, { from, to }))).toMatchObject({ codecs: [codec], seconds: 2 });
    }
  });

  it('is rejected with 500 and plain text if it is damaged', async () => {
    const noise = new Uint8Array(5000).fill(7);
    const response = await service.post(noise, { from: 'audio/mpeg', to: 'audio/ogg' });
    expect(response.status).toBe(500);
    expect(response.headers.get('Content-Type')).toStartWith('text/plain');
  });
});

/** The seconds that a file says it lasts, without playing it: as exiftool reads it, and ffprobe. */
async function declaredSeconds(media: Uint8Array, extension: string): Promise<number[]> {
  const file = service.fixtures.path(`declared-${Bun.randomUUIDv7()}.${extension}`);
  await Bun.write(file, media);
  const read = await run(['exiftool', '-s3', '-n', '-Duration', file]);
  const probed = await run(['ffprobe', '-v', 'error', '-show_entries', 'format=duration', '-of', 'csv=p=0', file]);
  return [Number(read), Number(probed)];
}

describe('a recording of 20 seconds', () => {
  const MP3 = { to: 'audio/mpeg', args: '-codec:a libmp3lame -q:a 5' };
  const made = async (name: string, ...options: string[]) => {
    const sound = ['-f', 'lavfi', '-i', 'aevalsrc=exprs=sin(1000*t*t):duration=20'];
    await run(['ffmpeg', '-v', 'error', '-nostdin', '-y', ...sound, ...options, service.fixtures.path(name)]);
    return name;
  };
  /** Within two frames of an MP3 at 8 kHz, of 72 ms each, which are the delay of its encoder. */
  const expectTwenty = (seconds: number[]) => {
    for (const found of seconds) expect(Math.abs(found - 20)).toBeLessThan(0.17);
  };

  it.each([
    ['in stereo', ['-ac', '2', '-ar', '44100']],
    ['in mono at 8 kHz', ['-ac', '1', '-ar', '8000']],
    ['at 96 kHz', ['-ac', '2', '-ar', '96000', '-c:a', 'pcm_s24le']],
  ])('%s becomes an MP3 with a duration of 20 seconds', async (_, options) => {
    const file = await made(`twenty-${Bun.randomUUIDv7()}.wav`, ...options);
    expectTwenty(await declaredSeconds(await service.make(file, { from: 'audio/x-wav', ...MP3 }), 'mp3'));
  });

  it('with a cover picture becomes an MP3 with a duration of 20 seconds', async () => {
    const cover = ['-i', service.fixtures.path('plasma.png'), '-map', '0:a', '-map', '1:v'];
    const file = await made('cover.mp3', ...cover, '-c:v', 'mjpeg', '-disposition:v', 'attached_pic');
    expectTwenty(await declaredSeconds(await service.make(file, { from: 'audio/mpeg', ...MP3 }), 'mp3'));
  });

  it.each([
    ['audio/wav', 'wav'],
    ['audio/flac', 'flac'],
  ])('becomes %s with a duration of 20 seconds', async (to, extension) => {
    const file = await made(`twenty.${extension}.wav`);
    expectTwenty(await declaredSeconds(await service.make(file, { from: 'audio/wav', to }), extension));
  });

  it('becomes an MP4 with a duration of 20 seconds and its index at the beginning', async () => {
    const film = await service.make('index-at-end.mov', { from: 'video/quicktime', to: 'video/mp4' });
    expectTwenty(await declaredSeconds(film, 'mp4'));
    const at = (box: string) => Buffer.from(film).indexOf(box);
    expect(at('moov')).toBeGreaterThan(0);
    expect(at('moov')).toBeLessThan(at('mdat'));
    expect(at('moof')).toBe(-1);
  });
});

describe('a video', () => {
  it('becomes an MP4 that browsers play', async () => {
    const made = await service.make('clip.mp4', { from: 'video/mp4', to: 'video/mp4' });
    expect(await play(made)).toEqual({ codecs: ['h264', 'aac'], pixels: ['yuv420p'], seconds: 2 });
  });

  it('becomes WebM', async () => {
    const made = await service.make('clip.mp4', { from: 'video/mp4', to: 'video/webm' });
    expect(await play(made)).toMatchObject({ codecs: ['vp9', 'opus'], seconds: 2 });
  });

  it('becomes an MP3 of its audio track', async () => {
    const made = await service.make('clip.mp4', { from: 'video/mp4', to: 'audio/mpeg' });
    expect(await play(made)).toMatchObject({ codecs: ['mp3'], seconds: 2 });
  });

  it.each([
    ['image/jpeg', 'JPEG'],
    ['image/png', 'PNG'],
  ])('becomes a frame as %s, the first or the one in X-Repo-Args', async (to, format) => {
    const first = await service.make('clip.mp4', { from: 'video/mp4', to });
    expect(await identify(first)).toBe(`${format} 320 240`);
    const args = '-ss 00:00:01.000 -frames 1 -vf scale=100:-2';
    expect(await identify(await service.make('clip.mp4', { from: 'video/mp4', to, args }))).toBe(`${format} 100 76`);
  });

  it.each([
    ['landscape', '640x360', 'JPEG 400 225'],
    ['portrait', '240x320', 'JPEG 300 400'],
    ['small, enlarged', '160x120', 'JPEG 400 300'],
  ])('becomes a frame whose longer side has the requested length: %s', async (_, size, expected) => {
    const file = `film-${size}.mp4`;
    const source = ['-f', 'lavfi', '-i', `testsrc=duration=2:size=${size}:rate=5`];
    await run(['ffmpeg', '-v', 'error', '-nostdin', ...source, service.fixtures.path(file)]);
    const args = '-ss 00:00:01.000 -frames 1 -vf scale=400:400:force_original_aspect_ratio=decrease';
    expect(await identify(await service.make(file, { from: 'video/mp4', to: 'image/jpeg', args }))).toBe(expected);
  });

  it.each([
    ['anamorphic.mp4', 'JPEG 400 225'],
    ['turned.mp4', 'JPEG 300 400'],
  ])('becomes a frame as it is shown: %s', async (name, expected) => {
    await Bun.write(service.fixtures.path(name), Bun.file(join(import.meta.dir, '../fixtures/av', name)));
    const args = '-ss 00:00:01.000 -frames 1 -vf scale=400:400:force_original_aspect_ratio=decrease';
    expect(await identify(await service.make(name, { from: 'video/mp4', to: 'image/jpeg', args }))).toBe(expected);
  });

  it('becomes its first frame if it ends before the requested one', async () => {
    const wanted = { from: 'video/mp4', to: 'image/png' };
    const first = await service.make('clip.mp4', wanted);
    expect(await service.make('clip.mp4', { ...wanted, args: '-ss 00:01:00.000 -frames 1' })).toEqual(first);
    const small = await service.make('clip.mp4', { ...wanted, args: '-vf scale=100:-2 -frames 1 -ss 00:01:00.000' });
    expect(await identify(small)).toBe('PNG 100 76');
  });

  it('without a picture is rejected with 500, and the reason is logged', async () => {
    const response = await service.post('tone.m4a', { from: 'video/mp4', to: 'image/jpeg', args: '-ss 00:00:01.000' });
    expect(response.status).toBe(500);
    const said = 'Output file #0 does not contain any stream';
    await until(() => service.processor.log.some(({ stderr }) => String(stderr).includes(said)));
  });

  it('becomes a progressive MP4 if it is interlaced', async () => {
    const file = service.fixtures.path('interlaced.mp4');
    const source = ['-f', 'lavfi', '-i', 'testsrc2=duration=1:size=320x240:rate=50', '-vf', 'interlace'];
    await run(['ffmpeg', '-v', 'error', '-nostdin', ...source, '-c:v', 'libx264', '-flags', '+ildct+ilme', file]);
    const combed = await combedFrames(file);
    await Bun.write(file, await service.make('interlaced.mp4', { from: 'video/mp4', to: 'video/mp4' }));
    expect(combed).toBe(25);
    expect(await combedFrames(file)).toBeLessThan(10);
  });

  it('is read if its index is at its end', async () => {
    const wanted = { from: 'video/quicktime', to: 'image/jpeg', args: '-ss 00:00:19.000' };
    expect(await identify(await service.make('index-at-end.mov', wanted))).toBe('JPEG 640 480');
  });

  it('is rejected if it is a playlist that names other files', async () => {
    const clip = service.fixtures.path('clip.mp4');
    const playlists = [
      `#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\n${clip}\n#EXT-X-ENDLIST\n`,
      `#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\nfile:${clip}\n#EXT-X-ENDLIST\n`,
      `ffconcat version 1.0\nfile ${clip}\n`,
    ];
    for (const playlist of playlists) {
      const body = new Uint8Array(Buffer.from(playlist));
      expect((await service.post(body, { from: 'video/mp4', to: 'image/jpeg' })).status).toBe(500);
    }
  });
});
