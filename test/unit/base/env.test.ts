import { afterEach, beforeEach, describe, expect, it } from 'bun:test';
import { coreCount, environmentForPrograms, environmentForScripts, readEnv } from '../../../src/base/env.ts';

let saved: NodeJS.ProcessEnv;
beforeEach(() => {
  saved = { ...process.env };
});
afterEach(() => {
  for (const name of Object.keys(process.env)) if (!(name in saved)) delete process.env[name];
  Object.assign(process.env, saved);
});

describe('readEnv', () => {
  it.each([
    ['a value', 'x', 'x'],
    ['a blank', ' ', ' '],
    ['an empty value as unset', '', undefined],
  ])('reads %s', (_, value, expected) => {
    process.env.REPO_TEST = value;
    expect(readEnv('REPO_TEST')).toBe(expected);
  });

  it('returns undefined for an unset variable', () => {
    expect(readEnv('REPO_TEST_UNSET')).toBeUndefined();
  });
});

describe('environmentForPrograms', () => {
  it.each([
    ['PATH'],
    ['HOME'],
    ['TMPDIR'],
    ['LC_ALL'],
    ['XDG_CACHE_HOME'],
    ['MAGICK_MEMORY_LIMIT'],
    ['OMP_NUM_THREADS'],
  ])('passes %s', (name) => {
    process.env[name] = 'value';
    expect(environmentForPrograms()[name]).toBe('value');
  });

  it.each([
    ['SERVICE_AUTH'],
    ['DATABASE_PASSWORD'],
    ['AWS_SECRET_ACCESS_KEY'],
    ['PATH_SECRET'],
    ['MY_LC_TOKEN'],
    ['LD_PRELOAD'],
    ['NODE_OPTIONS'],
    ['HTTP_PROXY'],
    ['path'],
  ])('withholds %s', (name) => {
    process.env[name] = 'secret';
    expect(environmentForPrograms()).not.toHaveProperty(name);
  });
});

describe('environmentForScripts', () => {
  it.each(['WHISPER_THREADS', 'HTTP_PROXY', 'MY_REPO_URL'])('passes %s', (name) => {
    process.env[name] = 'value';
    expect(environmentForScripts()[name]).toBe('value');
  });

  it.each(['REPO_ADMIN_PASSWORD', 'REPO_DATABASE_AUTH_TOKEN', 'REPO_TOMORROW'])('withholds %s', (name) => {
    process.env[name] = 'secret';
    expect(environmentForScripts()).not.toHaveProperty(name);
  });
});

it('coreCount returns at least one core', () => {
  expect(coreCount()).toBeGreaterThanOrEqual(1);
});
