import type { TestRepository } from './test-repository.ts';

/** The columns of a job that differ from a new one; times are seconds since 1970. */
export interface JobRow {
  state?: 'queued' | 'waiting' | 'failed' | 'done' | 'cancelled';
  action?: string;
  node?: number;
  media?: number | null;
  attempts?: number;
  lease?: string;
  waitsFor?: string[];
  created?: number;
  started?: number;
  ended?: number;
  available?: number;
  status?: number;
  message?: string;
  stderr?: string;
}

let nodes = 1_000_000;

/** Writes a job as if it had come that far, of a node of its own if none is named. Returns its id. */
export async function addJob(repository: TestRepository, row: JobRow = {}): Promise<number> {
  const { state = 'queued', action = 'an_action', node = ++nodes, media = 7, created = 1_750_000_000 } = row;
  const hasEnded = state === 'done' || state === 'cancelled';
  const event = {
    '@context': 'https://www.w3.org/ns/activitystreams',
    actor: { type: 'Person', id: 'urn:uuid:a', url: [{ type: 'Link', href: '/user/1' }] },
    object: { id: 'urn:uuid:b', url: [{ type: 'Link', href: `/node/${node}` }] },
    type: 'Activity',
    attachment: {
      type: 'Object',
      content: { source_uri: '/system/files/a%20b.png', destination_uri: '/node/1/media/image/3' },
      mediaType: 'application/json',
    },
    id: 'urn:uuid:c',
  };
  const [result] = await repository.running.services.database.write([
    {
      sql: `INSERT INTO derivative_job (event_id, action, pool, node_id, media_id, user_id, source_type, event, chain,
          version, state, waits_for, attempts, available_at, lease, created_at, started_at, ended_at, status, message, stderr)
        VALUES (?, ?, 'default', ?, ?, 1, 'image/png', ?, '[]', 1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id`,
      args: [
        Bun.randomUUIDv7(),
        action,
        node,
        media,
        hasEnded ? null : JSON.stringify(event),
        state,
        row.waitsFor === undefined ? null : JSON.stringify(row.waitsFor),
        row.attempts ?? 0,
        row.available ?? created,
        row.lease ?? null,
        created,
        row.started ?? null,
        row.ended ?? (hasEnded ? created : null),
        row.status ?? null,
        row.message ?? null,
        row.stderr ?? null,
      ],
    },
  ]);
  return Number(result?.rows[0]?.[0]);
}
