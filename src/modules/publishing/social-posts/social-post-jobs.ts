import { type PlatformJob, platformJob } from '../../../jobs/job.ts';
import { listDuePosts } from './social-post-store.ts';
import { workOnPost } from './work-on-post.ts';
import { appointAt, postJob } from './write-post.ts';

const work = platformJob<{ postId: number }>({
  task: postJob,
  run: ({ postId }, context) => workOnPost(postId, context),
});

/** Every post has its own appointment; this makes up for those that were missed. */
const workOnDuePosts = platformJob({
  task: 'social-posts.due',
  schedule: '* * * * *',
  async run(_payload, { database }) {
    const due = await listDuePosts(database.pool);
    await database.transaction(async (transaction) => {
      for (const postId of due) await appointAt(transaction, postId);
    });
  },
});

export const socialPostJobs: readonly PlatformJob[] = [work, workOnDuePosts];
