import robots from '../../config/robots.yaml' with { type: 'text' };
import { readEnv } from '../base/env.ts';
import { embeddedYaml, readYamlFile, type YamlFile } from '../base/yaml-file.ts';
import type { RepositoryConfig } from '../config/server-config.ts';
import { type KnownRobot, readKnownRobots } from '../http/known-robots.ts';

/** Returns the default list, which is part of the program. */
export function defaultRobotsFile(): YamlFile {
  return embeddedYaml('built-in robots.yaml', robots);
}

/** Loads the list of robots of a configuration. Throws ConfigError for an invalid one. */
export async function loadRobots({
  robots: { listFile },
}: Pick<RepositoryConfig, 'robots'>): Promise<readonly KnownRobot[]> {
  return readKnownRobots(
    defaultRobotsFile(),
    listFile === undefined ? undefined : await readYamlFile(listFile, readEnv),
  );
}
