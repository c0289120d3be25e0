import { passwordProblem } from '../auth/password.ts';
import { CommandError } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import { ConfigError } from '../base/yaml-file.ts';
import { loadServerConfig } from '../config/load-server-config.ts';
import type { Overrides } from '../config/overrides.ts';
import type { ServerConfig } from '../config/server-config.ts';
import { loadModel } from './load-model.ts';
import { type RunningRepository, startRepository, type WorkerPlace } from './repository.ts';
import { openCertificate } from './tls/active-certificate.ts';
import { isFirst } from './workers/seat.ts';

interface ServerOptions {
  /** The result of the file and the overrides. */
  config: ServerConfig;
  configFile: string | undefined;
  overrides: Overrides;
  /** True if the processor runs in the same process. */
  hasProcessor: boolean;
  /** The host of the processor's own port, if it has one; undefined: depends on its configuration. */
  processorHost: string | undefined;
  administratorPassword: string | undefined;
  /** As in `MigrateOptions`. */
  startsNew: boolean;
  log: Log;
  /** Default: this process is the only one on its port. */
  worker?: WorkerPlace;
}

interface RunningServer extends RunningRepository {
  /** Reads the TLS certificate and the processor's configuration again, and logs changes that require a restart. */
  reload(): Promise<void>;
  /** Reads the TLS certificate and the processor's configuration again, and logs errors only. */
  reloadQuietly(): Promise<void>;
}

/**
 * Starts the server of a configuration. Throws CommandError for an invalid password, CertificateError, and the errors of
 * `startRepository`.
 */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { config, configFile, overrides, hasProcessor, processorHost, administratorPassword, startsNew, log, worker } =
    options;
  requirePassword(administratorPassword);
  const { host, port, redirectPort, processorFile, processorPort, tls: files, baseUrl } = config;
  const tells = isFirst(worker?.seat);
  const tls = files && (await openCertificate({ files, log, tells, baseUrl }));
  const processor = { file: processorFile, port: processorPort, host: processorHost };
  const running = await startRepository({
    config,
    host,
    port,
    tls,
    redirectPort,
    administratorPassword,
    startsNew,
    log,
    ...(hasProcessor && { processor }),
    ...(worker && { worker }),
  });
  const reloadParts = (tells: boolean) => Promise.all([running.processor?.reload(), tls?.reload(tells)]);
  return {
    ...running,
    reloadQuietly: async () => void (await reloadParts(false)),
    async reload() {
      await reloadParts(true);
      try {
        const next = await loadServerConfig(configFile, overrides);
        const changed = changedKeys(config, next);
        const model = await loadModel(next);
        if (model.fingerprint !== running.services.model.fingerprint) changed.push('the content model');
        if (changed.length > 0) log.warn({ changed }, 'the configuration has changed: restart to apply the changes');
        else log.info('the configuration of the repository is unchanged');
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error;
        log.error({ problems: error.problems }, 'the new configuration is invalid: a restart would fail');
      }
    },
  };
}

/** Checks the password before anything is created: a first start needs it at its end. */
function requirePassword(password: string | undefined): void {
  const problem = password === undefined ? undefined : passwordProblem(password);
  if (problem !== undefined) throw new CommandError(`REPO_ADMIN_PASSWORD cannot be used: ${problem}`);
}

function changedKeys(before: ServerConfig, after: ServerConfig): string[] {
  const keys = Object.keys(before) as (keyof ServerConfig)[];
  return keys.filter((key) => !Bun.deepEquals(before[key], after[key]));
}
