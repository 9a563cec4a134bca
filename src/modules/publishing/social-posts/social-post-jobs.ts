import { defineJob, type JobImplementation } from '../../../jobs/job.ts';
import { listDuePosts } from './social-post-store.ts';
import { workOnPost } from './work-on-post.ts';
import { postJob } from './write-post.ts';

export const socialPostJobs: readonly JobImplementation[] = [
  postJob.implement(({ postId }, context) => workOnPost(postId, context)),
  // Every post has its own job; this one enqueues those that are missing.
  defineJob('social-posts.due', { schedule: '* * * * *' }).implement(async (_, { database }) => {
    const due = await listDuePosts(database.pool);
    await postJob.enqueueMany(
      database.pool,
      due.map((postId) => ({ postId })),
    );
  }),
];
