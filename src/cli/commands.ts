import type { Command } from './command.ts';

interface ListedCommand {
  summary: string;
  /** Loaded on demand, to keep the start fast. */
  load(): Promise<Command>;
}

/** Every command by its name, in the order of "waypost help". */
export const commands: Readonly<Record<string, ListedCommand>> = {
  // Run the service.
  start: {
    summary: 'run the whole platform in this process: API, deliveries and jobs',
    load: async () => (await import('./service-commands.ts')).startCommand,
  },
  serve: {
    summary: 'run the API only; "waypost work" sends deliveries',
    load: async () => (await import('./service-commands.ts')).serveCommand,
  },
  work: {
    summary: 'run a worker only; several can share a database',
    load: async () => (await import('./service-commands.ts')).workCommand,
  },

  // Set it up.
  config: {
    summary: 'print every setting with its default, its value and its meaning',
    load: async () => (await import('./config-command.ts')).configCommand,
  },
  migrate: {
    summary: 'apply pending migrations to the database, or print their plan',
    load: async () => (await import('./migrate-command.ts')).migrateCommand,
  },
  doctor: {
    summary: 'check the installation, the settings, the database and the services that it uses',
    load: async () => (await import('./doctor-command.ts')).doctorCommand,
  },
  backup: {
    summary: 'write the database and the stored files to an archive',
    load: async () => (await import('./backup-commands.ts')).backupCommand,
  },
  restore: {
    summary: 'restore an archive into an empty database, or check it',
    load: async () => (await import('./backup-commands.ts')).restoreCommand,
  },
  keys: {
    summary: 'show and rotate the master keys that encrypt keys and secrets in the database',
    load: async () => (await import('./keys-command.ts')).keysCommand,
  },
  partners: {
    summary: 'create and list partners and rotate their private keys, directly in the database',
    load: async () => (await import('./partners-command.ts')).partnersCommand,
  },
  versions: {
    summary: 'print the changelog of the API, or the changes between two versions',
    load: async () => (await import('./versions-command.ts')).versionsCommand,
  },
  certificate: {
    summary: 'create a self-signed certificate for testing HTTPS',
    load: async () => (await import('./certificate-command.ts')).certificateCommand,
  },

  // Try it out.
  listen: {
    summary: 'receive deliveries on this machine, verify and print them',
    load: async () => (await import('./listen-command.ts')).listenCommand,
  },
  demo: {
    summary: 'create demo data: businesses, locations, listings, reviews, insights',
    load: async () => (await import('./demo-command.ts')).demoCommand,
  },
  emit: {
    summary: 'record example events',
    load: async () => (await import('./emit-command.ts')).emitCommand,
  },
  trigger: {
    summary: 'cause an event by a real change in the demo or sandbox',
    load: async () => (await import('./trigger-command.ts')).triggerCommand,
  },
  resend: {
    summary: 'send a recorded event again, by its id',
    load: async () => (await import('./resend-command.ts')).resendCommand,
  },
  sandbox: {
    summary: 'simulate reviews, changes and outages in the sandbox directories',
    load: async () => (await import('./sandbox-command.ts')).sandboxCommand,
  },
};
