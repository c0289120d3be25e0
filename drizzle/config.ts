import { defineConfig } from 'drizzle-kit';

/** `bun x drizzle-kit generate --config drizzle/config.ts --name what_changes` writes the next migration. */
export default defineConfig({ dialect: 'sqlite', schema: './src/database/schema/*.ts', out: './drizzle' });
