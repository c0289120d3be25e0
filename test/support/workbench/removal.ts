import { readMember } from './members.ts';
import type { Block, Facts } from './sequence.ts';
import type { Workbench, WorkbenchAnswer } from './workbench.ts';

/** The order in which Workbench looks for the file of a media: the first that is a key counts. */
const FILE_FIELDS = [
  'field_media_file',
  'field_media_image',
  'field_media_document',
  'field_media_audio_file',
  'field_media_video_file',
];

/** A media with its file and tracks: read, the files deleted while it still refers to them, then itself. */
export function removeMedia(mid: string): Block {
  return (workbench, facts) => removeOne(workbench, idOf(facts, mid));
}

/** A node, and before it each of its media. */
export function removeNode(nid: string): Block {
  return async (workbench, facts) => {
    const id = idOf(facts, nid);
    const media = await expected([200], workbench.send('GET', `/node/${id}/media?_format=json`));
    for (const each of readMember(media.json(), '', 'list') as unknown[])
      await removeOne(workbench, readMember(each, 'mid[0].value', 'integer') as number);
    await expected([204], workbench.send('DELETE', `/node/${id}?_format=json`));
  };
}

async function removeOne(workbench: Workbench, mid: number): Promise<void> {
  const path = `/media/${mid}${workbench.edit}?_format=json`;
  const media = (await expected([200], workbench.send('GET', path))).json() as Record<string, unknown>;
  const field = FILE_FIELDS.find((name) => name in media);
  if (field === undefined) throw new Error(`${path}: no key of a file field`);
  const files = [readMember(media, `${field}[0].target_id`, 'integer') as number];
  if ('field_track' in media) files.push(...(readMember(media, 'field_track[].target_id', 'integer') as number[]));
  for (const fid of files) await expected([204], workbench.send('DELETE', `/entity/file/${fid}?_format=json`));
  await expected([204], workbench.send('DELETE', path));
}

async function expected(statuses: number[], sent: Promise<WorkbenchAnswer>): Promise<WorkbenchAnswer> {
  const answer = await sent;
  if (!statuses.includes(answer.status)) throw new Error(`${answer.status} ${answer.text}, not ${statuses}`);
  return answer;
}

function idOf(facts: Facts, name: string): number {
  return readMember(facts, name, 'integer') as number;
}
