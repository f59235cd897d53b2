// Command control-plane holds etcd, kube-apiserver, kube-controller-manager and kube-scheduler in one binary. The first
// argument says which of them runs, the rest is for that one. Each ends with the process that started it.
package main

import (
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"
	"go.etcd.io/etcd/server/v3/etcdmain"
	"k8s.io/component-base/cli"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllers "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
)

func main() {
	if len(os.Args) < 2 {
		fail("say which component to run")
	}
	name := os.Args[1]
	os.Args = append([]string{name}, os.Args[2:]...)
	go endWith(os.Getppid())
	switch name {
	case "etcd":
		etcdmain.Main(os.Args)
	case "kube-apiserver":
		run(apiserver.NewAPIServerCommand())
	case "kube-controller-manager":
		run(controllers.NewControllerManagerCommand())
	case "kube-scheduler":
		run(scheduler.NewSchedulerCommand())
	default:
		fail(fmt.Sprintf("no component is called %q", name))
	}
}

func run(command *cobra.Command) {
	os.Exit(cli.Run(command))
}

// endWith ends this process once another has become its parent: whoever started it is gone, and nobody would stop it.
func endWith(parent int) {
	for os.Getppid() == parent {
		time.Sleep(200 * time.Millisecond)
	}
	os.Exit(3)
}

func fail(reason string) {
	fmt.Fprintln(os.Stderr, reason+": etcd, kube-apiserver, kube-controller-manager or kube-scheduler")
	os.Exit(2)
}
