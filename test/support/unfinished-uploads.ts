/** Lists the files of unfinished uploads in the local stores of a data folder. */
export const unfinishedUploads = (dataFolder: string): Promise<string[]> =>
  Array.fromAsync(new Bun.Glob('files/*/incoming/**/*').scan({ cwd: dataFolder, onlyFiles: true, dot: true }));
