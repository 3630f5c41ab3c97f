#include <stdio.h>
#include <cohart/cohart.h>
#define N 2000
static intptr_t other(void *a){ (void)a; for(;;){ if(co_canceled()) return 0; co_yield(); } }
CO_CHANNEL_AS(spsc,uint64_t,16,CO_SPSC,CO_CLAIM_DEFAULT);
CO_CHANNEL(mpmc,uint64_t,16);
CO_CHANNEL_AS(tick,uint64_t,16,CO_MPMC,CO_CLAIM_TICKET);
CO_CHANNEL_AS(sping,uint64_t,4,CO_SPSC,CO_CLAIM_DEFAULT);CO_CHANNEL_AS(spong,uint64_t,4,CO_SPSC,CO_CLAIM_DEFAULT);
CO_CHANNEL(ping,uint64_t,1); CO_CHANNEL(pong,uint64_t,1);
static uint64_t y; static intptr_t echo8(void *a){ (void)a; while(co_chan_recv_u64(&sping,&y)==0) if(co_chan_send_u64(&spong,y)) break; return 0; }
static intptr_t echo(void *a){ (void)a; uint64_t x; while(co_chan_recv(&ping,&x)==0) if(co_chan_send(&pong,&x)) break; return 0; }
static void chan(const char *n, struct co_chan *c){ uint64_t x=1; for(int w=0;w<3;w++){ uint64_t t=co_instructions(); for(int i=0;i<N;i++){ (void)!co_chan_send(c,&x); (void)!co_chan_recv(c,&x);} t=co_instructions()-t; if(w==2) printf("%s %lu\n",n,(unsigned long)t/N);} }
#define E(x) __builtin_expect(x,0)
static void chan8(const char *n, struct co_chan *c){ uint64_t x=1; for(int w=0;w<3;w++){ uint64_t t=co_instructions(); for(int i=0;i<N;i++){ if (E(co_chan_send_u64(c,x)))return; if(E(co_chan_recv_u64(c,&x)))return;} t=co_instructions()-t; if(w==2) printf("u64 %s %lu\n",n,(unsigned long)t*10/N);} }
static void bulk(const char *n, struct co_chan *c,int k){ static uint64_t x[32]; for(int w=0;w<3;w++){ uint64_t t=co_instructions(); for(int i=0;i<N;i++){ (void)!co_chan_send_many(c,x,k,CO_FOREVER);  (void)!co_chan_recv_many(c,x,k,CO_FOREVER);} t=co_instructions()-t; if(w==2) printf("bulk%d %s %lu\n",k,n,(unsigned long)t*10/N/k);} }
static intptr_t nop(void*a){(void)a; return 0;}
int main(void){
 struct co *c; uint64_t t; uint64_t x=0;
 chan8("spsc",&spsc); chan8("mpmc",&mpmc); bulk("spsc",&spsc,8); bulk("mpmc",&mpmc,8); bulk("tick",&tick,8);
 chan("spsc",&spsc); chan("mpmc",&mpmc); chan("ticket",&tick);
 if(co_spawn(&c,&(struct co_attr){.on=CO_ON_HART(0)},other,NULL)) return 1;
 co_yield(); t=co_instructions(); for(int i=0;i<N;i++) co_yield(); printf("yield pair %lu\n",(unsigned long)(co_instructions()-t)/N);
 co_cancel(c); (void)!co_join(c,NULL);
 for(unsigned h=0;h<2;h++){ if(co_spawn(&c,&(struct co_attr){.on=CO_ON_HART(h)},echo,NULL)) return 1;
  for(int w=0;w<2;w++){ t=co_instructions(); for(int i=0;i<N;i++){ (void)!co_chan_send(&ping,&x); (void)!co_chan_recv(&pong,&x);} if(w) printf("pingpong on hart %u: %lu\n",h,(unsigned long)(co_instructions()-t)/N);}
  if(h==0){ co_chan_close(&ping); (void)!co_join(c,NULL); static unsigned char b[CO_CHAN_BYTES(8,1)]; (void)!co_chan_init(&ping,b,sizeof b,8);} }
 for(unsigned h=0;h<2;h++){ if(co_spawn(&c,&(struct co_attr){.on=CO_ON_HART(h)},echo8,NULL)) return 1;
  for(int w=0;w<2;w++){ t=co_instructions(); for(int i=0;i<N;i++){ (void)!co_chan_send_u64(&sping,x); (void)!co_chan_recv_u64(&spong,&x);} if(w) printf("pingpong spsc u64 on hart %u: %lu\n",h,(unsigned long)(co_instructions()-t)/N);}
  if(h==0){ co_chan_close(&sping); (void)!co_join(c,NULL); static unsigned char b[CO_CHAN_BYTES(8,4)]; (void)!co_chan_init_as(&sping,b,sizeof b,8,CO_SPSC,CO_CLAIM_DEFAULT);} }
 struct co_batch b={0}; 
 for(int w=0;w<3;w++){ t=co_instructions(); int n=0; for(int i=0;i<50;i++) n+= co_batch_spawn(&b,&(struct co_attr){.on=CO_ON_HART(0)},nop,NULL,NULL)==0; (void)!co_batch_join(&b); printf("batch %d: %lu each\n",n,(unsigned long)(co_instructions()-t)/n);}
 return 0; }
