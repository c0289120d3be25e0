import { describe, expect, it } from 'bun:test';
import { jobFacts } from '../../../src/cli/job-text.ts';
import type { JobInFullJson } from '../../../src/representation/derivative-json.ts';

const JOB: JobInFullJson = {
  id: 12,
  event_id: '01890000-0000-7000-8000-000000000000',
  action: 'make_it',
  node: 4,
  media: null,
  user: 1,
  state: 'failed',
  attempts: 5,
  created: '2026-01-02T00:00:00.000Z',
  started: '2026-01-02T01:00:00.000Z',
  ended: null,
  due: null,
  status: 500,
  message: 'It answered 500.',
  stderr: 'no decode\u001b[2J delegate',
  source_type: 'application/x-tar',
  event: null,
};

describe('the facts of a job', () => {
  it('have one line each, with a dash for a missing fact', () => {
    expect(jobFacts(JOB)).toEqual([
      'Job:              12',
      'State:            failed',
      'Action:           make_it',
      'Node:             4',
      'Media:            none: the sources are all members of the node',
      'Source type:      application/x-tar',
      'For user:         1',
      'Attempts:         5',
      'Created:          2026-01-02T00:00:00.000Z',
      'Last started:     2026-01-02T01:00:00.000Z',
      'Ended:            -',
      'Next attempt:     -',
      'Status:           500',
      'Message:          It answered 500.',
      'Command output:   no decode [2J delegate',
      'Event:            urn:uuid:01890000-0000-7000-8000-000000000000',
    ]);
  });

  it('end with the event, without control characters', () => {
    const summary = 'Generate\u009b31m Derivative';
    const event = { id: 'urn:uuid:a', attachment: { content: { args: '-x' } }, summary } as unknown;
    const lines = jobFacts({ ...JOB, event: event as JobInFullJson['event'] }).slice(-10);
    expect(lines).toEqual([
      '',
      '{',
      '  "id": "urn:uuid:a",',
      '  "attachment": {',
      '    "content": {',
      '      "args": "-x"',
      '    }',
      '  },',
      '  "summary": "Generate 31m Derivative"',
      '}',
    ]);
  });
});
